//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

func init() { helpers["soak"] = soakProcess }

// soaker is the long-living process: one engine, as in a server, and beside it the command line in the same project.
type soaker struct {
	engine *engine.Engine
	store  *thread.Store

	mu     sync.Mutex
	report soakReport
}

func soakProcess(args []string) error {
	seconds, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	if err := engine.BecomeReaper(); err != nil {
		return err
	}
	s, err := newSoaker(args[1])
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	s.sample()
	next := time.NewTicker(time.Second / soakEngineRate)
	defer next.Stop()
	for i := range seconds * soakEngineRate {
		<-next.C
		all.Go(func() { s.one(i) })
		if (i+1)%max(1, seconds*soakEngineRate/soakSamples) == 0 {
			s.sample()
		}
	}
	all.Wait()
	for deadline := time.Now().Add(10 * time.Second); zombies() > 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	s.sample()
	return json.NewEncoder(os.Stdout).Encode(s.report)
}

func newSoaker(binary string) (*soaker, error) {
	project, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s := &soaker{report: soakReport{Outcomes: map[string]int{}}}
	s.engine, err = engine.New(engine.Options{
		Project: project, User: os.Getenv("HOME"), System: rye.System(), Cache: filepath.Join(os.Getenv("XDG_CACHE_HOME"), "rye"),
		Binary: binary, Env: os.Environ(),
	})
	if err != nil {
		return nil, err
	}
	s.store, err = s.engine.Threads(context.Background(), false)
	return s, err
}

// one is the i-th run.
func (s *soaker) one(i int) {
	r := soakPlan(i)
	got, err := s.do(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.count(r, got, err)
}

// soakMoment is how long a run that would stay is left alone.
const soakMoment = time.Second

func (s *soaker) do(r soakRun) (*item.Response, error) {
	ctx := context.Background()
	if r.end == "stay" && !r.detached {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, soakMoment)
		defer stop()
	}
	params := map[string]any{"mark": r.mark, "end": r.end}
	resp := s.engine.Execute(ctx, item.Request{Ref: "tool:soak", Parameters: params, Async: r.detached}, nil, nil)
	if !r.detached || resp.Failed() {
		return resp, nil
	}
	return s.follow(resp.ThreadID, r)
}

// follow waits for a detached run, after cancelling it if it would stay.
func (s *soaker) follow(id string, r soakRun) (*item.Response, error) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if r.end == "stay" {
		if err := s.awaitText(ctx, id, r.mark); err != nil {
			return nil, err
		}
		if _, err := s.engine.CancelThread(ctx, id, time.Second); err != nil {
			return nil, err
		}
	}
	row, err := s.store.Wait(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.engine.ThreadResponse(ctx, row)
}

// awaitText waits until a detached run has said a text.
func (s *soaker) awaitText(ctx context.Context, id, text string) error {
	var got strings.Builder
	for chunk, err := range s.store.ReadLog(ctx, id, thread.LogOptions{Follow: true}) {
		if err != nil {
			return err
		}
		if got.Write(chunk.Data); strings.Contains(got.String(), text) {
			return nil
		}
	}
	return fmt.Errorf("the log of thread %s ended without %s", id, text)
}

// sample takes down how things are.
func (s *soaker) sample() {
	memory, _ := memory(os.Getpid(), "VmRSS")
	files, _ := os.ReadDir("/proc/self/fd")
	state := soakState{
		Memory: memory, Files: int64(len(files)), Goroutines: int64(runtime.NumGoroutine()), Zombies: zombies(),
		Cache: size(os.Getenv("XDG_CACHE_HOME")),
	}
	for _, name := range []string{thread.DatabaseName, thread.DatabaseName + "-wal"} {
		state.Registry += size(filepath.Join(".ai", "state", "threads", name))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state.Runs = s.report.Runs
	s.report.Samples = append(s.report.Samples, state)
}

// size is that of a file, or of all files in a folder.
func size(path string) (sum int64) {
	filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// zombies counts the children of this process that have ended and that nobody has collected.
func zombies() (count int64) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(data), ") ")
		var state string
		var parent int
		if fmt.Sscan(rest, &state, &parent); state == "Z" && parent == os.Getpid() {
			count++
		}
	}
	return count
}
