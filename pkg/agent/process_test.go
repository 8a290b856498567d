package agent_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
)

func TestMain(m *testing.M) {
	agenttest.Main()
	os.Exit(m.Run())
}

// startCopy starts this test program again, in a role of agenttest.
func startCopy(t *testing.T) agenttest.Start {
	return func(env ...string) (func() error, error) {
		var said bytes.Buffer
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env, cmd.Stderr, cmd.Stdout = append(os.Environ(), env...), &said, &said
		wait := func() error {
			if err := cmd.Wait(); err != nil {
				return fmt.Errorf("%w: %s", err, said.Bytes())
			}
			return nil
		}
		return wait, cmd.Start()
	}
}

// TestKills kills a process at every transaction of a thread.
func TestKills(t *testing.T) {
	did, err := agenttest.CheckKills(t.TempDir(), 1, startCopy(t))
	if err != nil {
		t.Fatal(err)
	}
	if did.Kills < 20 || did.Interrupted == 0 {
		t.Errorf("too little happened to mean something: %+v", did)
	}
}

// TestFleet lets processes send to the same threads and run them.
func TestFleet(t *testing.T) {
	f := agenttest.Fleet{Dir: t.TempDir(), Processes: 8, Threads: 20, Messages: 800}
	if testing.Short() { // SQLite is slow under the race detector
		f.Messages = 240
	}
	took, err := f.Run(startCopy(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d messages in %s", f.Messages, took)
}
