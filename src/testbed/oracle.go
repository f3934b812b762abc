package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	kjson "sigs.k8s.io/json"
)

// question is one line of input; which fields are set says what is asked.
type question struct {
	// Term asks for validation, as the API server validates one required term of a new pod.
	Term *v1.NodeSelectorTerm `json:"term,omitempty"`
	// TermText asks whether the text decodes strictly into a term, and for its validation if it does.
	TermText *string `json:"termText,omitempty"`
	// Affinity (nil: the pod has none) and Nodes ask which of the nodes the pod may go to; the affinity is validated too.
	Affinity *v1.NodeAffinity `json:"affinity,omitempty"`
	Nodes    []node           `json:"nodes,omitempty"`
}

type node struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
}

type answer struct {
	// Failure says that the question itself could not be read.
	Failure string `json:"failure,omitempty"`
	// Decoding has the errors of the strict decoder, for TermText.
	Decoding []string `json:"decoding,omitempty"`
	// Validation has the field errors of the term or of the affinity.
	Validation []fieldError `json:"validation"`
	// Matches says of each node, in order, whether the pod may go there.
	Matches []bool `json:"matches"`
}

type fieldError struct {
	Field  string `json:"field"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

func oracle(in io.Reader, out io.Writer) int {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	writer := bufio.NewWriter(out)
	encoder := json.NewEncoder(writer)
	for lines.Scan() {
		var asked question
		reply := answer{}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			reply.Failure = err.Error()
		} else {
			reply = respond(asked)
		}
		if err := encoder.Encode(reply); err != nil {
			return 1
		}
		if err := writer.Flush(); err != nil {
			return 1
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "testbed oracle:", err)
		return 1
	}
	return 0
}

func respond(asked question) answer {
	reply := answer{Validation: []fieldError{}, Matches: []bool{}}
	switch {
	case asked.TermText != nil:
		var term v1.NodeSelectorTerm
		strict, err := kjson.UnmarshalStrict([]byte(*asked.TermText), &term)
		if err != nil {
			strict = append(strict, err)
		}
		for _, e := range strict {
			reply.Decoding = append(reply.Decoding, e.Error())
		}
		if len(strict) == 0 {
			reply.Validation = validateTerm(&term)
		}
	case asked.Term != nil:
		reply.Validation = validateTerm(asked.Term)
	default:
		reply.Validation = validateAffinity(asked.Affinity)
		reply.Matches = match(asked.Affinity, asked.Nodes)
	}
	return reply
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
		return []fieldError{}
	}
	var internal core.NodeSelector
	required := affinity.RequiredDuringSchedulingIgnoredDuringExecution
	if err := corev1.Convert_v1_NodeSelector_To_core_NodeSelector(required, &internal, nil); err != nil {
		return []fieldError{{Type: "conversion", Detail: err.Error()}}
	}
	return plain(validation.ValidateNodeSelector(&internal, false, field.NewPath("required")))
}

func match(affinity *v1.NodeAffinity, nodes []node) []bool {
	pod := &v1.Pod{}
	if affinity != nil {
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: affinity}
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

func plain(list field.ErrorList) []fieldError {
	errors := make([]fieldError, 0, len(list))
	for _, e := range list {
		errors = append(errors, fieldError{Field: e.Field, Type: string(e.Type), Detail: e.Detail})
	}
	return errors
}
