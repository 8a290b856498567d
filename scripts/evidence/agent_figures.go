//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ryeos/rye/internal/agenttest"
)

// agentFigures are the figures about the agent runtime.
var agentFigures = []figure{{
	name: "A1", what: "a thread of %d steps with two tools each, in a process that is killed by SIGKILL before and after each of its transactions, and gone on with by a fresh one",
	must: "no tool runs twice, no stored response is asked for again; but for the call that was running the thread is what it is without a death",
	full: 10, small: 1, run: killedThreads,
}, {
	name: "A2", what: "%d messages sent to 100 threads by 8 processes that run these threads all the time",
	must: "no thread is run by two at a time; no message is lost, doubled, or overtaken by a later one of its sender; every thread has answered",
	full: 10_000, small: 400, run: sharedThreads,
}, {
	name: "A3", what: "a thread of %d steps, each with a text, a call and a result of together 2.8 KB",
	must: "the database grows by at most 1.2 times the transcript",
	full: 1000, small: 100, run: grownThread,
}}

// startCopy starts this program again, in a role of agenttest.
func startCopy(env ...string) (func() error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	cmd := exec.Command(self)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), &said, &said
	wait := func() error {
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%w: %s", err, said.Bytes())
		}
		return nil
	}
	return wait, cmd.Start()
}

// inScratch gives a measurement a folder of its own.
func inScratch(measure func(dir string) (finding, error)) finding {
	dir, err := os.MkdirTemp("", "rye-evidence-agent-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	found, err := measure(dir)
	if err != nil {
		found.breakf("%v", err)
	}
	return found
}

func killedThreads(_ *binaries, steps int) finding {
	return inScratch(func(dir string) (finding, error) {
		did, err := agenttest.CheckKills(dir, steps, startCopy)
		return finding{measured: fmt.Sprintf("%d kills; %d calls were running then and are marked as interrupted", did.Kills, did.Interrupted)}, err
	})
}

func sharedThreads(_ *binaries, messages int) finding {
	return inScratch(func(dir string) (finding, error) {
		took, err := agenttest.Fleet{Dir: dir, Processes: 8, Threads: 100, Messages: messages}.Run(startCopy)
		return finding{measured: fmt.Sprintf("all kept their order and were answered, %.0f a second", float64(messages)/took.Seconds())}, err
	})
}

func grownThread(_ *binaries, steps int) finding {
	return inScratch(func(dir string) (finding, error) {
		growth, err := agenttest.MeasureGrowth(filepath.Join(dir, "growth"), steps)
		found := finding{measured: fmt.Sprintf("%d bytes of database, %d of transcript: %.3f", growth.Database, growth.Transcript, growth.Ratio())}
		if err == nil && growth.Ratio() > 1.2 {
			found.breakf("%s", found.measured)
		}
		return found, err
	})
}
