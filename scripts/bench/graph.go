//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// graphs measures what state graphs cost: their steps beside what those cannot do without, and their memory.
func (w *world) graphs(steps, rounds int) error {
	eng, err := w.engine()
	if err != nil {
		return err
	}
	if err := engine.BecomeReaper(); err != nil {
		return err
	}
	for name, config := range map[string]string{"walk": walkGraph, "tool": toolGraph, "each": eachGraph, "few": chainOf(10), "many": chainOf(1000)} {
		if err := w.write("bench/"+name+".yaml", graphHead+config); err != nil {
			return err
		}
	}
	if _, err := w.output(w.rye, "sign", "tool:bench/*"); err != nil {
		return err
	}
	fmt.Println("| state graphs | measured | must |\n|---|---|---|")
	durable, inMemory, err := w.plainSteps(eng, steps)
	if err != nil {
		return err
	}
	for _, part := range []func() error{
		func() error { return w.foreachItems(steps) },
		func() error { return w.toolSteps(eng, rounds*2) },
		func() error { return w.chainMemory() },
		func() error { return w.foreachMemory(steps) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	fmt.Printf("\nThe median step of each tenth of %d:\n\n", steps)
	plot(durable, inMemory)
	return nil
}

// plainSteps walks a graph without tools, as `rye graph run` does and without a journal.
func (w *world) plainSteps(eng *engine.Engine, steps int) (durable, inMemory *stopwatch, err error) {
	bare, err := newBareJournal(filepath.Join(w.dir, "bare"))
	if err != nil {
		return nil, nil, err
	}
	defer bare.close()
	if durable, err = runGraph(eng, "bench/walk", steps, bare.append); err != nil {
		return nil, nil, err
	}
	if inMemory, err = walkInMemory(steps); err != nil {
		return nil, nil, err
	}
	step, floor := quantile(durable.laps, 50), quantile(durable.beside, 50)
	fmt.Printf("| a durable step without a tool, median of %d (p90 %s) | %s | 1.50 ms |\n", steps, ms(quantile(durable.laps, 90)), ms(step))
	fmt.Printf("| a bare append of %d bytes with fdatasync after each of them (p90 %s) | %s: the step takes %.2f times that | – |\n",
		len(bare.record), ms(quantile(durable.beside, 90)), ms(floor), ratio(step, floor))
	fmt.Printf("| the same step in memory (p90 %s) | %s | 50.0 µs |\n", us(quantile(inMemory.laps, 90)), us(quantile(inMemory.laps, 50)))
	return durable, inMemory, nil
}

// toolSteps compares a node that executes a tool with executing it.
func (w *world) toolSteps(eng *engine.Engine, steps int) error {
	s, err := runGraph(eng, "bench/tool", steps, func() error {
		req := item.Request{Ref: "tool:rye/bash", Parameters: map[string]any{"command": "true"}}
		if resp := eng.Execute(context.Background(), req, nil, nil); resp.Failed() {
			return fmt.Errorf("execute: %s", resp.Error)
		}
		return nil
	})
	if err != nil {
		return err
	}
	step, bare := quantile(s.laps, 50), quantile(s.beside, 50)
	fmt.Printf("| a durable step that executes rye/bash, over Engine.Execute of the same, median of %d | %s more (%s against %s) | – |\n",
		steps, us(step-bare), ms(step), ms(bare))
	return nil
}

// chainMemory runs a short and a long chain of nodes in processes of their own.
func (w *world) chainMemory() error {
	few, err := w.peak("execute", "tool:bench/few")
	if err != nil {
		return err
	}
	many, err := w.peak("execute", "tool:bench/many")
	if err != nil {
		return err
	}
	fmt.Printf("| peak memory with 1000 nodes in a chain, over that with 10 | %.1f MiB over %.1f MiB | – |\n", many, few)
	return nil
}

// foreachMemory executes a tool for few and for many items.
func (w *world) foreachMemory(items int) error {
	var peaks []float64
	for _, n := range []int{10, items} {
		params, err := json.Marshal(map[string]any{"items": make([]int, n)})
		if err != nil {
			return err
		}
		file := filepath.Join(w.dir, fmt.Sprintf("items-%d.json", n))
		if err := os.WriteFile(file, params, 0o644); err != nil {
			return err
		}
		start := time.Now()
		peak, err := w.peak("execute", "tool:bench/each", "--params", "@"+file)
		if err != nil {
			return err
		}
		peaks = append(peaks, peak)
		if n == items {
			fmt.Printf("| peak memory of rye/bash for each of %d items, 10 at a time (%s an item), over that with 10 items | %.1f MiB over %.1f MiB | – |\n",
				n, ms(time.Since(start)/time.Duration(n)), peaks[1], peaks[0])
		}
	}
	return nil
}

const graphHead = `version: "1.0.0"
tool_type: graph
executor_id: rye/core/runtimes/state-graph/runtime
category: bench
description: Measures state graphs
permissions: [rye.execute.tool.*]
config_schema: {type: object, properties: {items: {type: array}, n: {type: integer, default: 5}}}
config:
`

// walkGraph and toolGraph go on until they have taken as many steps as they may.
const (
	walkGraph = `  start: a
  nodes: {a: {type: gate, assign: {x: "${inputs.n}"}, next: [{to: z, when: {path: state.x, value: 6}}, {to: a}]}, z: {type: return}}
`
	toolGraph = `  start: a
  nodes: {a: {action: {item_id: tool:rye/bash, params: {command: "true"}}, next: a}}
`
	eachGraph = `  start: each
  nodes: {each: {type: foreach, parallel: true, max_concurrency: 10, over: "${inputs.items}", action: {item_id: tool:rye/bash, params: {command: "true"}}}}
`
)

// chainOf is a graph of so many nodes, one after the other, each of which sets a key of its own.
func chainOf(nodes int) string {
	var config strings.Builder
	fmt.Fprintf(&config, "  start: n0\n  max_steps: %d\n  nodes:\n", nodes+1)
	for i := range nodes {
		fmt.Fprintf(&config, "    n%d: {type: gate, assign: {k%d: \"${inputs.n}\"}, next: n%d}\n", i, i, i+1)
	}
	fmt.Fprintf(&config, "    n%d: {type: return}\n", nodes)
	return config.String()
}
