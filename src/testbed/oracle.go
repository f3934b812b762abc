package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

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

// question is one line of input; which fields are set says what is asked.
type question struct {
	// Term asks for validation, as the API server validates one required term of a new pod.
	Term *v1.NodeSelectorTerm `json:"term,omitempty"`
	// TermText asks whether the text decodes strictly into a term, and for its validation if it does.
	TermText *string `json:"termText,omitempty"`
	// Affinity, NodeSelector and Tolerations are a pod's, and ask to which of the Nodes it may go; the affinity is
	// validated too.
	Affinity     *v1.NodeAffinity  `json:"affinity,omitempty"`
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Tolerations  []v1.Toleration   `json:"tolerations,omitempty"`
	Nodes        []node            `json:"nodes,omitempty"`
}

type node struct {
	Name          string            `json:"name"`
	Labels        map[string]string `json:"labels,omitempty"`
	Taints        []v1.Taint        `json:"taints,omitempty"`
	Unschedulable bool              `json:"unschedulable,omitempty"`
}

type answer struct {
	// Failure says that the question itself could not be read.
	Failure string `json:"failure,omitempty"`
	// Decoding has the errors of the strict decoder, for TermText; Decoded is the term if there are none.
	Decoding []string             `json:"decoding,omitempty"`
	Decoded  *v1.NodeSelectorTerm `json:"decoded,omitempty"`
	// Validation has the field errors of the term or of the affinity.
	Validation []fieldError `json:"validation"`
	// Parsing has the field errors for which the scheduler never lets the term match.
	Parsing []fieldError `json:"parsing"`
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
	reply := answer{}
	switch {
	case asked.TermText != nil:
		var term v1.NodeSelectorTerm
		reply.Decoding = decode([]byte(*asked.TermText), &term)
		if len(reply.Decoding) == 0 {
			reply.Decoded = &term
			reply.Validation, reply.Parsing = validateTerm(&term), parse(&term)
		}
	case asked.Term != nil:
		reply.Validation, reply.Parsing = validateTerm(asked.Term), parse(asked.Term)
	default:
		reply.Validation = validateAffinity(asked.Affinity)
		reply.Matches, reply.Tolerated = match(asked), tolerate(asked)
	}
	return reply
}

// decode reads JSON, or YAML where it is not JSON, as strictly as the API server does when asked for strict validation.
func decode(text []byte, term *v1.NodeSelectorTerm) []string {
	strict, err := kjson.UnmarshalStrict(text, term)
	if syntax, _ := kjson.SyntaxErrorOffset(err); syntax {
		if text, err = yaml.YAMLToJSONStrict(text); err == nil {
			strict, err = kjson.UnmarshalStrict(text, term)
		}
	}
	if err != nil {
		strict = append(strict, err)
	}
	var errors []string
	for _, e := range strict {
		errors = append(errors, e.Error())
	}
	return errors
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

func match(asked question) []bool {
	pod := &v1.Pod{Spec: v1.PodSpec{NodeSelector: asked.NodeSelector}}
	if asked.Affinity != nil {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: asked.Affinity}
	}
	required := nodeaffinity.GetRequiredNodeAffinity(pod)
	matches := make([]bool, 0, len(asked.Nodes))
	for _, n := range asked.Nodes {
		ok, err := required.Match(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}})
		// The scheduler treats an error as "does not fit".
		matches = append(matches, ok && err == nil)
	}
	return matches
}

// tolerate asks as the scheduler's plugins TaintToleration and NodeUnschedulable do.
func tolerate(asked question) []bool {
	cordon := v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
	tolerated := make([]bool, 0, len(asked.Nodes))
	for _, n := range asked.Nodes {
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
