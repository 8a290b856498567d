package graph_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
)

// chain is a graph of n nodes, one after the other; each sets a key of its own.
func chain(t testing.TB, n int) *graph.Graph {
	var config strings.Builder
	fmt.Fprintf(&config, "  start: n0\n  max_steps: %d\n  nodes:\n", n+1)
	for i := range n {
		fmt.Fprintf(&config, "    n%d: {type: gate, assign: {k%d: \"${state.k%d || inputs.n}\"}, next: n%d}\n", i, i, max(0, i-1), i+1)
	}
	fmt.Fprintf(&config, "    n%d: {type: return, output: \"${state.k%d}\"}\n", n, n-1)
	return parse(t, config.String())
}

// size counts what a journal is told to write.
type size struct {
	graphtest.Journal
	bytes atomic.Int64
}

func (s *size) Append(record []byte) error { s.bytes.Add(int64(len(record))); return nil }

func (s *size) Replace(record []byte) error { s.bytes.Add(int64(len(record))); return nil }

// TestCostOfSteps: a run of ten times the steps writes ten times as much, checkpoints included, and no more. What a step
// writes is counted, not timed.
func TestCostOfSteps(t *testing.T) {
	written := func(steps int) int64 {
		g := parse(t, fmt.Sprintf("  start: a\n  max_steps: %d\n  nodes: {a: {type: gate, assign: {x: '${inputs.n}'}, next: a}}", steps))
		j, opts := &size{}, options()
		opts.Journal, opts.CheckpointAfter = j, 2000
		wantJSON(t, g.Run(context.Background(), opts, &quiet{}), fmt.Sprintf(`{"code": "max_steps_exceeded", "steps": %d}`, steps))
		return j.bytes.Load()
	}
	if few, many := written(1000), written(10_000); float64(many) > 10.5*float64(few) {
		t.Errorf("1,000 steps write %d bytes, 10,000 steps %d", few, many)
	}
}

// TestCostOfChain: each node of a long chain adds a key to the state, and no step writes the others again.
func TestCostOfChain(t *testing.T) {
	written := func(nodes int) int64 {
		j, opts := &size{}, options()
		opts.Journal = j
		wantJSON(t, chain(t, nodes).Run(context.Background(), opts, &quiet{}), `{"status": "completed", "output": 5}`)
		return j.bytes.Load()
	}
	if few, many := written(100), written(1000); float64(many) > 11*float64(few) {
		t.Errorf("100 nodes write %d bytes, 1,000 nodes %d", few, many)
	}
}

// quiet is a world that remembers nothing, so that what grows is the walker's.
type quiet struct{ graphtest.World }

func (*quiet) Execute(context.Context, graph.Action) (any, error) {
	return map[string]any{"ok": true}, nil
}
func (*quiet) Emit(graph.Event) {}

// TestForeachMemory: 10,000 items whose results nobody collects leave little behind, and run on few goroutines.
func TestForeachMemory(t *testing.T) {
	g := parse(t, `  start: e
  nodes: {e: {type: foreach, parallel: true, max_concurrency: 10, over: "${inputs.items}", action: {item_id: "tool:x/y", params: {i: "${item}"}}}}`)
	opts := options()
	opts.Journal = &size{}
	items := make([]any, 10_000)
	opts.Inputs["items"] = items
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	goroutines := runtime.NumGoroutine()
	w := &counting{most: goroutines}
	wantJSON(t, g.Run(context.Background(), opts, w), `{"status": "completed"}`)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(g)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
		t.Errorf("%d bytes are left after the run", grown)
	}
	if w.most > goroutines+10 {
		t.Errorf("%d goroutines instead of %d and 10", w.most, goroutines)
	}
}

type counting struct {
	quiet
	mu   sync.Mutex
	most int
}

func (c *counting) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most = max(c.most, runtime.NumGoroutine())
	return c.quiet.Now()
}

func BenchmarkStepInMemory(b *testing.B) { benchmarkSteps(b, nil) }

func BenchmarkStepDurable(b *testing.B) {
	benchmarkSteps(b, open(b, filepath.Join(b.TempDir(), "journal")))
}

// benchmarkSteps takes b.N steps of one run.
func benchmarkSteps(b *testing.B, j graph.Journal) {
	g := parse(b, "  start: a\n  nodes: {a: {type: gate, assign: {x: '${inputs.n}'}, next: [{to: z, when: {path: state.x, value: 6}}, {to: a}]}, z: {type: return}}")
	opts := options()
	opts.MaxSteps, opts.Journal = b.N, j
	b.ReportAllocs()
	b.ResetTimer()
	if r := g.Run(context.Background(), opts, &quiet{}); r.Steps != b.N {
		b.Fatal(r.Error)
	}
}

// BenchmarkSync is what a durable step cannot do without: one write and one wait for the disk.
func BenchmarkSync(b *testing.B) {
	j := open(b, filepath.Join(b.TempDir(), "journal"))
	record := make([]byte, 150)
	for b.Loop() {
		if err := j.Append(record); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkForeachDurable(b *testing.B) {
	g := parse(b, `  start: e
  nodes: {e: {type: foreach, parallel: true, over: "${inputs.items}", action: {item_id: "tool:x/y", params: {i: "${item}"}}, collect: out}}`)
	opts := options()
	opts.Journal = open(b, filepath.Join(b.TempDir(), "journal"))
	opts.Inputs["items"] = make([]any, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	if r := g.Run(context.Background(), opts, &quiet{}); !r.Success {
		b.Fatal(r.Error)
	}
}
