//go:build unix

package main

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func (w *world) engine() (*engine.Engine, error) {
	return engine.New(engine.Options{
		Project: w.project, User: w.home, System: rye.System(), Cache: filepath.Join(w.dir, "cache"), Env: os.Environ(),
	})
}

// inProcess compares Engine.Execute with a bare fork and exec of the same command, call by call.
func (w *world) inProcess(rounds int) error {
	eng, err := w.engine()
	if err != nil {
		return err
	}
	if err := engine.BecomeReaper(); err != nil {
		return err
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return err
	}
	request := item.Request{Ref: "tool:rye/bash", Parameters: map[string]any{"command": "true"}}
	var through, bare []time.Duration
	for range rounds * 2 {
		start := time.Now()
		if resp := eng.Execute(context.Background(), request, nil, nil); resp.Failed() {
			return fmt.Errorf("execute: %s", resp.Error)
		}
		middle := time.Now()
		cmd := exec.Command(bash, "-c", "true", "tool", w.project)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("{}"), io.Discard, io.Discard
		if err := cmd.Run(); err != nil {
			return err
		}
		through, bare = append(through, middle.Sub(start)), append(bare, time.Since(middle))
	}
	slices.Sort(through)
	slices.Sort(bare)
	overhead := through[len(through)/2] - bare[len(bare)/2]
	fmt.Println("| in process | measured | must |\n|---|---|---|")
	fmt.Printf("| Engine.Execute of rye/bash over bare fork+exec | %d µs (%s against %s) | 400 µs |\n\n",
		overhead.Microseconds(), ms(through[len(through)/2]), ms(bare[len(bare)/2]))
	return nil
}

// verifyRate signs many items of 4 KB and verifies them all.
func (w *world) verifyRate(items int) error {
	filler := strings.Repeat("# 0123456789 abcdefghij 0123456789 abcdefghij 0123456789\n", 66)
	for i := range items {
		name := fmt.Sprintf("many/d%02d/t%05d.py", i%50, i)
		text := strings.Replace(scriptTool, `__category__ = ""`, fmt.Sprintf(`__category__ = "many/d%02d"`, i%50), 1) + filler
		if err := w.write(name, text); err != nil {
			return err
		}
	}
	if _, err := w.output(w.rye, "sign", "--all"); err != nil {
		return err
	}
	const runs = 5
	best := time.Duration(1<<63 - 1)
	for range runs {
		start := time.Now()
		if _, err := w.output(w.rye, "-q", "verify", "--all"); err != nil {
			return err
		}
		best = min(best, time.Since(start))
	}
	perCore := float64(items) / best.Seconds() / float64(runtime.NumCPU())
	fmt.Println("| verification | measured | must |\n|---|---|---|")
	fmt.Printf("| rye verify --all, %d signed items of 4 KB, best of %d | %.0f items/s per core (%s) | 15000 |\n", items, runs, perCore, ms(best))
	fmt.Printf("| crypto/ed25519.Verify alone, on one core | %.0f signatures/s | – |\n\n", signatureRate())
	return os.RemoveAll(filepath.Join(w.project, ".ai", "tools", "many"))
}

// signatureRate is the floor of verification: how many signatures of short messages one core checks in a second.
func signatureRate() float64 {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return 0
	}
	message := make([]byte, 200)
	signature := ed25519.Sign(private, message)
	const count = 5000
	start := time.Now()
	for range count {
		if !ed25519.Verify(public, message, signature) {
			return 0
		}
	}
	return count / time.Since(start).Seconds()
}

const floodTool = `#!/bin/bash
# __version__ = "1.0.0"
# __tool_type__ = "bash"
# __executor_id__ = "rye/core/runtimes/bash/bash"
# __category__ = ""
# __tool_description__ = "Floods standard output"
head -c "${RYE_PARAM_MIB}M" /dev/zero | tr '\0' 'x'
echo the end
`

// floodMemory runs a tool that prints much and looks at rye's own peak memory.
func (w *world) floodMemory(mib int) error {
	if err := w.write("flood.sh", floodTool); err != nil {
		return err
	}
	if _, err := w.output(w.rye, "sign", "tool:flood"); err != nil {
		return err
	}
	start := time.Now()
	peak, err := w.peak("execute", "tool:flood", "--mib", fmt.Sprint(mib))
	if err != nil {
		return err
	}
	fmt.Println("| memory | measured | must |\n|---|---|---|")
	fmt.Printf("| peak RSS of rye execute with %d MiB of tool output (%s) | %.0f MiB | 64 MiB |\n\n", mib, ms(time.Since(start)), peak)
	return nil
}

// peak is how many MiB a rye, or the largest process that it waited for, had in memory at most.
func (w *world) peak(args ...string) (float64, error) {
	cmd := w.command(w.rye, args...)
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("rye %v: %w", args, err)
	}
	return float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024, nil
}
