//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

// killFigures are the figures about death: of rye, of what it runs, of the whole machine.
var killFigures = []figure{randomKills, crashPoints, registrations, orphans, reboot, versions, longList}

// workers is how many runs go on at the same time.
const workers = 4

// report is a finding to which several workers add.
type report struct {
	mu     sync.Mutex
	found  finding
	counts map[string]int
}

func newReport() *report { return &report{counts: map[string]int{}} }

func (r *report) count(what string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[what] += n
}

func (r *report) breakf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found.breakf(format, args...)
}

// expect notes an error as a broken promise.
func (r *report) expect(what string, err error) {
	if err != nil {
		r.breakf("%s: %v", what, err)
	}
}

// add takes over what another report says of a part of the work.
func (r *report) add(part *report, where string) {
	for _, line := range part.found.broken {
		r.breakf("%s%s", where, line)
	}
	for what, n := range part.counts {
		r.count(what, n)
	}
}

// finding is what came out; the text says what was counted.
func (r *report) finding(format string, args ...any) finding {
	f := r.found
	f.measured = fmt.Sprintf(format, args...)
	return f
}

// list writes the counts whose names start with prefix, without it.
func (r *report) list(prefix string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.counts)) {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			parts = append(parts, fmt.Sprintf("%d %s", r.counts[name], rest))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// share calls f for 0 to count-1, each in one of the workers.
func share(count int, f func(n int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range min(workers, count) {
		group.Go(func() {
			for n := range next {
				f(n)
			}
		})
	}
	for n := range count {
		next <- n
	}
	close(next)
	group.Wait()
}

// eventually looks again and again until cond holds or the time is over.
func eventually(limit time.Duration, cond func() bool) bool {
	deadline := time.Now().Add(limit)
	for pause := 200 * time.Microsecond; !cond(); pause = min(pause*5/4, 20*time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// quantile is the value below which the share q of the durations is.
func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// killOff kills a process and returns when it is over.
func killOff(p process.Identity) error {
	limited, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return errors.Join(p.Kill(), p.WaitGone(limited))
}

// patience is how long something may take that a loaded machine does in a moment.
const patience = 30 * time.Second

// childrenOf lists the children of a process, whichever of its threads forked them.
func childrenOf(pid int) (pids []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		for field := range strings.FieldsSeq(string(data)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// inhabitants are the living processes of a world, by number: its home is in their environment, or its folder in their
// command line.
func (w *world) inhabitants() map[int]string {
	found := processes(filepath.Dir(w.home))
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), "HOME="+w.home+"\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && found[pid] == "" {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found[pid] = strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return found
}

// leave ends what still lives in the world, complains of it, and removes the world.
func (w *world) leave(r *report) {
	eventually(5*time.Second, func() bool { return len(w.inhabitants()) == 0 })
	for pid, line := range w.inhabitants() {
		r.breakf("left behind: process %d, %s", pid, line)
		kill(pid)
	}
	r.expect("removing the world", os.RemoveAll(filepath.Dir(w.home)))
}
