package main

import (
	"io"
	"os"
	"os/exec"
)

// lifelineVariable is set in the environment of a part that was started by "up": file descriptor 3 is then the read end
// of a pipe whose only writer is the parent.
const lifelineVariable = "TESTBED_LIFELINE"

// lifeline is the parent's end: as long as the parent lives the pipe stays open, and the kernel closes it however the
// parent dies.
type lifeline struct {
	read, write *os.File
}

func newLifeline() (*lifeline, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &lifeline{read, write}, nil
}

func (l *lifeline) tie(command *exec.Cmd) {
	command.ExtraFiles = []*os.File{l.read}
	command.Env = append(os.Environ(), lifelineVariable+"=3")
}

// endWithParent makes this process exit at once when its parent is gone. It does nothing for a part started by hand.
func endWithParent() {
	if os.Getenv(lifelineVariable) == "" {
		return
	}
	os.Unsetenv(lifelineVariable)
	pipe := os.NewFile(3, "lifeline")
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		os.Exit(1)
	}()
}
