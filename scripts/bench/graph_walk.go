//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/graph"
)

// stopwatch hears of the end of each step, as a person at the terminal does. Between two of them it does, and measures,
// something to compare them with, so that both have the same moments of a busy machine.
type stopwatch struct {
	compare func() error // nil: with nothing
	laps    []time.Duration
	beside  []time.Duration
	last    time.Time
	err     error
}

func (s *stopwatch) Write(line []byte) (int, error) {
	now := time.Now()
	if !s.last.IsZero() {
		s.laps = append(s.laps, now.Sub(s.last))
	}
	if s.compare != nil && s.err == nil {
		s.err = s.compare()
		s.beside = append(s.beside, time.Since(now))
	}
	s.last = time.Now()
	return len(line), nil
}

// take leaves the steps after the first one, which also counts what comes before it, without the end of the run.
func (s *stopwatch) take(steps int) (*stopwatch, error) {
	if s.err != nil {
		return nil, s.err
	}
	if len(s.laps) != steps+1 {
		return nil, fmt.Errorf("%d steps were told of instead of %d", len(s.laps), steps+1)
	}
	s.laps = s.laps[:steps]
	return s, nil
}

// runGraph takes so many steps of a graph, with everything that `rye graph run` does: journal, transcript, registry.
func runGraph(eng *engine.Engine, id string, steps int, compare func() error) (*stopwatch, error) {
	var out bytes.Buffer
	s := &stopwatch{compare: compare}
	params := fmt.Sprintf(`{"max_steps": %d}`, steps+1)
	if err := eng.RunGraph(context.Background(), id, strings.NewReader(params), &out, s); err != nil {
		return nil, err
	}
	var result graph.Result
	if err := json.Unmarshal(out.Bytes(), &result); err != nil || result.Code != graph.CodeMaxSteps {
		return nil, fmt.Errorf("%s ended otherwise: %s", id, out.Bytes())
	}
	return s.take(steps)
}

// walkInMemory takes steps of the same graph without a journal.
func walkInMemory(steps int) (*stopwatch, error) {
	g, err := graph.Parse("tools/bench/walk.yaml", []byte(graphHead+walkGraph))
	if err != nil {
		return nil, err
	}
	s := &stopwatch{}
	opts := graph.Options{RunID: "run", Inputs: map[string]any{}, MaxSteps: steps + 1, MaxConcurrency: 10}
	if r := g.Run(context.Background(), opts, &stillWorld{tell: graph.Progress(s, g.ID)}); r.Code != graph.CodeMaxSteps {
		return nil, fmt.Errorf("the walk ended otherwise: %s", r.Error)
	}
	return s.take(steps)
}

// stillWorld does nothing: what a step costs in it is the walker's.
type stillWorld struct {
	graphtest.World
	tell func(graph.Event)
}

func (*stillWorld) Execute(context.Context, graph.Action) (any, error) {
	return map[string]any{"status": "success"}, nil
}

func (s *stillWorld) Emit(e graph.Event) { s.tell(e) }

// foreachItems measures what the journal adds to each item of a foreach, whatever the item is.
func (w *world) foreachItems(items int) error {
	g, err := graph.Parse("tools/bench/each.yaml", []byte(graphHead+eachGraph))
	if err != nil {
		return err
	}
	journal, err := graph.OpenJournal(filepath.Join(w.dir, "journal"))
	if err != nil {
		return err
	}
	defer journal.Close()
	opts := graph.Options{RunID: "run", Inputs: map[string]any{"items": make([]any, items)}, MaxSteps: 1, MaxConcurrency: 10, Journal: journal}
	start := time.Now()
	if r := g.Run(context.Background(), opts, &stillWorld{tell: func(graph.Event) {}}); !r.Success {
		return fmt.Errorf("the foreach ended otherwise: %s", r.Error)
	}
	fmt.Printf("| a durable foreach item, 10 at a time, of %d | %s | – |\n", items, us(time.Since(start)/time.Duration(items)))
	return nil
}

// bareJournal is what a durable step cannot do without: a file to whose end records are written.
type bareJournal struct {
	file   *os.File
	record []byte
}

// newBareJournal opens one on which each write waits for the disk as fdatasync would.
func newBareJournal(path string) (*bareJournal, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_DSYNC, 0o600)
	return &bareJournal{file, make([]byte, 150)}, err
}

func (j *bareJournal) append() error {
	_, err := j.file.Write(j.record)
	return err
}

func (j *bareJournal) close() { j.file.Close() }
