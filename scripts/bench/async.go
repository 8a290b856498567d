//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ryeos/rye/pkg/thread"
)

// asyncCommand launches a run that ends at once.
var asyncCommand = []string{"execute", "--async", "tool:rye/bash", "--command", "true"}

// asyncStart measures how long a launch takes to return, beside what it is compared with.
func (w *world) asyncStart(rounds int) error {
	programs := []*program{
		{name: "empty Go binary (E)", argv: []string{w.empty}},
		{name: "rye execute --async tool:rye/bash --command true", argv: append([]string{w.rye}, asyncCommand...), settle: w.settle},
	}
	if err := w.interleave(programs, rounds); err != nil {
		return err
	}
	e := programs[0].median()
	fmt.Println("| detached | measured | must | aim |\n|---|---|---|---|")
	fmt.Printf("| async launch returns / E (%s, p90 %s) | %.2f | 12 | 8 |\n", ms(programs[1].median()), ms(programs[1].quantile(90)), ratio(programs[1].median(), e))
	return nil
}

// asyncRate launches runs from four programs as fast as it can and waits for their ends.
func (w *world) asyncRate(runs int) error {
	empty, err := w.launchAll(runs, w.empty)
	if err != nil {
		return err
	}
	baseline := time.Since(empty.began)
	launched, err := w.launchAll(runs, append([]string{w.rye}, asyncCommand...)...)
	if err != nil {
		return err
	}
	lost, err := w.await(launched.outputs)
	if err != nil {
		return err
	}
	took := time.Since(launched.began)
	fmt.Printf("| async runs completed and recorded, %d launched by %d programs at a time | %.0f/s, %d lost (%.1f times as long as as many empty Go binaries) | 60/s, 0 lost | 100/s |\n\n",
		runs, launchers, float64(runs)/took.Seconds(), lost, ratio(took, baseline))
	return nil
}

const launchers = 4

// launch is what many runs of a program have printed.
type launch struct {
	began   time.Time
	outputs [][]byte
}

// launchAll runs a program so many times, a few at a time.
func (w *world) launchAll(runs int, argv ...string) (launch, error) {
	l := launch{began: time.Now(), outputs: make([][]byte, runs)}
	var next atomic.Int64
	errs := make([]error, launchers)
	var all sync.WaitGroup
	for worker := range launchers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(runs) && errs[worker] == nil; i = next.Add(1) - 1 {
				l.outputs[i], errs[worker] = w.command(argv[0], argv[1:]...).Output()
			}
		})
	}
	all.Wait()
	return l, errors.Join(errs...)
}

// await waits until the threads that were launched are at their end and counts those that did not complete.
func (w *world) await(launches [][]byte) (lost int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	store, err := w.registry(ctx)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	for _, answer := range launches {
		var launched struct {
			ID string `json:"thread_id"`
		}
		if err := json.Unmarshal(answer, &launched); err != nil {
			return lost, fmt.Errorf("%s: %w", answer, err)
		}
		t, err := store.Wait(ctx, launched.ID)
		if err != nil {
			return lost, err
		}
		if t.Status != thread.Completed {
			lost++
		}
	}
	return lost, nil
}

// settle waits for what a round has launched, so that no round pays for the one before.
func (w *world) settle() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	store, err := w.registry(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	active, err := store.List(ctx, thread.Filter{Status: thread.Active()})
	for _, t := range active {
		if _, err := store.Wait(ctx, t.ID); err != nil {
			return err
		}
	}
	return err
}

func (w *world) registry(ctx context.Context) (*thread.Store, error) {
	return thread.Open(ctx, filepath.Join(w.project, ".ai", "state", "threads"), thread.Options{Existing: true})
}
