package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	goyaml "go.yaml.in/yaml/v2"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// question is one line of input; what is absent is not asked.
type question struct {
	// TermText asks whether the text decodes strictly into a term, and for that term's judgement if it does.
	TermText *string `json:"termText,omitempty"`
	// Term asks for the judgement of a term.
	Term *v1.NodeSelectorTerm `json:"term,omitempty"`
	// Pods asks to which of the Nodes each of these may go.
	Pods  []pod  `json:"pods,omitempty"`
	Nodes []node `json:"nodes,omitempty"`
}

type pod struct {
	Affinity     *v1.NodeAffinity  `json:"affinity,omitempty"`
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Tolerations  []v1.Toleration   `json:"tolerations,omitempty"`
}

type node struct {
	Name          string            `json:"name"`
	Labels        map[string]string `json:"labels,omitempty"`
	Taints        []v1.Taint        `json:"taints,omitempty"`
	Unschedulable bool              `json:"unschedulable,omitempty"`
}

type answer struct {
	// Failure says that the question itself could not be read.
	Failure string     `json:"failure,omitempty"`
	Text    *decoding  `json:"text,omitempty"`
	Term    *judgement `json:"term,omitempty"`
	Pods    []places   `json:"pods,omitempty"`
}

type decoding struct {
	// YAML says that the text is not JSON and was read as YAML.
	YAML bool `json:"yaml"`
	// Errors are those of the strict decoder; Term is there if there are none.
	Errors []string             `json:"errors,omitempty"`
	Term   *v1.NodeSelectorTerm `json:"term,omitempty"`
	judgement
}

type judgement struct {
	// Validation has the errors of the API server about a required term of a new pod.
	Validation []fieldError `json:"validation,omitempty"`
	// Parsing has the errors for which the scheduler never lets the term match.
	Parsing []fieldError `json:"parsing,omitempty"`
}

type places struct {
	// Validation has the errors of the API server about the pod's required node affinity.
	Validation []fieldError `json:"validation,omitempty"`
	// Matches says of each node, in order, whether affinity and node selector let the pod go there.
	Matches []bool `json:"matches"`
	// Tolerated says of each node whether its taints and its being cordoned let the pod go there.
	Tolerated []bool `json:"tolerated"`
}

type fieldError struct {
	Field  string `json:"field"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// oracle answers each line with one line. It holds answers back as long as more questions have arrived already, so that
// whoever sends many at once is answered fast.
func oracle(in io.Reader, out io.Writer) int {
	reader := bufio.NewReaderSize(in, 1<<16)
	writer := bufio.NewWriter(out)
	encoder := json.NewEncoder(writer)
	for {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return 0
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "testbed oracle:", err)
			return 1
		}
		var asked question
		var reply answer
		if err := json.Unmarshal(line, &asked); err != nil {
			reply.Failure = err.Error()
		} else {
			reply = respond(asked)
		}
		if err := encoder.Encode(reply); err != nil {
			return 1
		}
		if reader.Buffered() == 0 {
			if err := writer.Flush(); err != nil {
				return 1
			}
		}
	}
}

func respond(asked question) answer {
	var reply answer
	if asked.TermText != nil {
		text := decode([]byte(*asked.TermText))
		reply.Text = &text
	}
	if asked.Term != nil {
		judged := judge(asked.Term)
		reply.Term = &judged
	}
	for _, p := range asked.Pods {
		reply.Pods = append(reply.Pods, places{
			Validation: validateAffinity(p.Affinity),
			Matches:    match(p, asked.Nodes),
			Tolerated:  tolerate(p, asked.Nodes),
		})
	}
	return reply
}

// decode reads JSON, or YAML where it is not JSON, as strictly as the API server does when asked for strict validation.
func decode(text []byte) decoding {
	var result decoding
	var term v1.NodeSelectorTerm
	strict, err := kjson.UnmarshalStrict(text, &term)
	if result.YAML, _ = kjson.SyntaxErrorOffset(err); result.YAML {
		var asJSON []byte
		if asJSON, err = yaml.YAMLToJSONStrict(text); err == nil {
			strict, err = kjson.UnmarshalStrict(asJSON, &term)
		}
		if err == nil {
			err = nothingAfter(text)
		}
	}
	if err != nil {
		strict = append(strict, err)
	}
	for _, e := range strict {
		result.Errors = append(result.Errors, e.Error())
	}
	if len(strict) == 0 {
		result.Term, result.judgement = &term, judge(&term)
	}
	return result
}

// nothingAfter looks beyond the first YAML document, where the YAML library itself stops reading.
func nothingAfter(text []byte) error {
	decoder := goyaml.NewDecoder(bytes.NewReader(text))
	var document any
	for range 2 {
		err := decoder.Decode(&document)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return fmt.Errorf("more than one YAML document")
}

func judge(term *v1.NodeSelectorTerm) judgement {
	return judgement{Validation: validateTerm(term), Parsing: parse(term)}
}

func validateTerm(term *v1.NodeSelectorTerm) []fieldError {
	var internal core.NodeSelectorTerm
	if err := corev1.Convert_v1_NodeSelectorTerm_To_core_NodeSelectorTerm(term, &internal, nil); err != nil {
		return []fieldError{{Type: "conversion", Detail: err.Error()}}
	}
	return plain(validation.ValidateNodeSelectorTerm(internal, false, nil))
}

func validateAffinity(affinity *v1.NodeAffinity) []fieldError {
	if affinity == nil || affinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	var internal core.NodeSelector
	required := affinity.RequiredDuringSchedulingIgnoredDuringExecution
	if err := corev1.Convert_v1_NodeSelector_To_core_NodeSelector(required, &internal, nil); err != nil {
		return []fieldError{{Type: "conversion", Detail: err.Error()}}
	}
	return plain(validation.ValidateNodeSelector(&internal, false, field.NewPath("required")))
}

func match(asked pod, nodes []node) []bool {
	pod := &v1.Pod{Spec: v1.PodSpec{NodeSelector: asked.NodeSelector}}
	if asked.Affinity != nil {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: asked.Affinity}
	}
	required := nodeaffinity.GetRequiredNodeAffinity(pod)
	matches := make([]bool, 0, len(nodes))
	for _, n := range nodes {
		ok, err := required.Match(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}})
		// The scheduler treats an error as "does not fit".
		matches = append(matches, ok && err == nil)
	}
	return matches
}

// tolerate asks as the scheduler's plugins TaintToleration and NodeUnschedulable do.
func tolerate(asked pod, nodes []node) []bool {
	cordon := v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
	tolerated := make([]bool, 0, len(nodes))
	for _, n := range nodes {
		_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(
			klog.Background(), n.Taints, asked.Tolerations, helper.DoNotScheduleTaintsFilterFunc(), false)
		cordoned := n.Unschedulable &&
			!corev1helpers.TolerationsTolerateTaint(klog.Background(), asked.Tolerations, &cordon, false)
		tolerated = append(tolerated, !untolerated && !cordoned)
	}
	return tolerated
}

// parse makes the scheduler's runtime form of the term.
func parse(term *v1.NodeSelectorTerm) []fieldError {
	_, err := nodeaffinity.NewNodeSelector(&v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{*term}})
	return flatten(err)
}

func flatten(err error) []fieldError {
	switch e := err.(type) {
	case nil:
		return nil
	case *field.Error:
		return plain(field.ErrorList{e})
	case utilerrors.Aggregate:
		var all []fieldError
		for _, inner := range e.Errors() {
			all = append(all, flatten(inner)...)
		}
		return all
	default:
		return []fieldError{{Detail: err.Error()}}
	}
}

func plain(list field.ErrorList) []fieldError {
	errors := make([]fieldError, 0, len(list))
	for _, e := range list {
		errors = append(errors, fieldError{Field: e.Field, Type: string(e.Type), Detail: e.Detail})
	}
	return errors
}
