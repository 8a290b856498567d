//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// soakBeside makes one run a second on the command line.
func (w *world) soakBeside(seconds int) soakReport {
	report := soakReport{Outcomes: map[string]int{}}
	var mu sync.Mutex
	var all sync.WaitGroup
	next := time.NewTicker(time.Second)
	defer next.Stop()
	for i := range seconds {
		<-next.C
		all.Go(func() {
			r := soakPlan(i)
			got, err := w.soakRun(r)
			mu.Lock()
			defer mu.Unlock()
			report.count(r, got, err)
		})
	}
	all.Wait()
	return report
}

func (w *world) soakRun(r soakRun) (*item.Response, error) {
	args := []string{"tool:soak", "--mark", r.mark, "--end", r.end}
	if r.detached {
		return w.soakDetached(r, args)
	}
	cmd := w.command(append([]string{"-o", "json", "execute"}, args...)...)
	var got item.Response
	return &got, awaitStarted(cmd, func() {
		if r.end == "stay" {
			time.AfterFunc(soakMoment, func() { cmd.Process.Signal(os.Interrupt) }) // an error if it has ended: that is well
		}
	}).decode(&got)
}

func (w *world) soakDetached(r soakRun, args []string) (*item.Response, error) {
	l, err := w.launch(args...)
	if err != nil {
		return nil, err
	}
	if r.end == "stay" {
		if err := awaitText(filepath.Join(w.registry(), l.ID, "stdout.log"), r.mark); err != nil {
			return nil, err
		}
		if err := w.must("threads", "cancel", l.ID); err != nil {
			return nil, err
		}
	}
	var waited struct {
		Threads []struct{ Response item.Response }
	}
	if err := w.run("-o", "json", "threads", "wait", l.ID, "--timeout", "1m").decode(&waited); err != nil {
		return nil, err
	}
	return &waited.Threads[0].Response, nil
}

// awaitText waits until a file holds a text.
func awaitText(path, text string) error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) || time.Now().After(deadline) {
			return err
		}
	}
}
