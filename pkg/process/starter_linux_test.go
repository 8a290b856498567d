package process

import (
	"os"
	"strings"
	"testing"
	"time"
)

// elsewhere is a Starter that starts programs as this process does, if it starts any.
type elsewhere struct {
	refuse bool
	tag    string
	began  Started
}

func (e *elsewhere) Start(spec *Spec, tag string, files [3]*os.File) Started {
	e.tag = tag
	if e.refuse {
		return nil
	}
	t, err := grow(tag, spec, ownLeader(spec, files))
	if err != nil {
		return nil
	}
	e.began = t
	return t
}

func TestStarter(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		e := &elsewhere{refuse: refuse}
		spec := shell("echo $RYE_RUN_ID; sleep 100 & cat")
		spec.Starter, spec.Stdin = e, []byte("in")
		res := run(t, spec)
		tag, rest, _ := strings.Cut(res.Stdout.String(), "\n")
		if rest != "in" || (tag == e.tag) == refuse || res.Reaped != 1 || !refuse && res.PID != e.began.PID() {
			t.Errorf("refuse %v: %q, %+v", refuse, res.Stdout, res)
		}
	}
	e := &elsewhere{}
	spec := shell("trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.01; done")
	spec.Starter, spec.Timeout = e, 300*time.Millisecond
	if res := run(t, spec); !res.TimedOut || res.ExitCode != 3 || res.Stdout.String() != "ready\nasked\n" {
		t.Errorf("%q, %+v", res.Stdout, res)
	}
}
