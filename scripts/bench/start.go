//go:build unix

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"time"
)

// program is one row of the start-up table.
type program struct {
	name   string
	argv   []string
	settle func() error // after each run, outside of its time
	times  []time.Duration
}

const scriptTool = `import json, sys
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/script"
__category__ = ""
__tool_description__ = "Does nothing"
if __name__ == "__main__":
    json.load(sys.stdin)
    print("{}")
`

// startTable runs whole processes: rye beside what it is compared with.
func (w *world) startTable(rounds int) error {
	if err := w.write("script.py", scriptTool); err != nil {
		return err
	}
	if _, err := w.output(w.rye, "sign", "tool:script"); err != nil {
		return err
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return err
	}
	programs := []*program{
		{name: "empty Go binary (E)", argv: []string{w.empty}},
		{name: "bash -c true (B)", argv: []string{"bash", "-c", "true"}},
		{name: "python3 script (P)", argv: []string{python, "-c", "import json"}},
		{name: "rye version", argv: []string{w.rye, "version"}},
		{name: "rye execute tool:rye/bash --command true", argv: []string{w.rye, "execute", "tool:rye/bash", "--command", "true"}},
		{name: "rye execute a Python script tool", argv: []string{w.rye, "execute", "tool:script"}},
		{name: "rye verify (2 items)", argv: []string{w.rye, "verify"}},
	}
	if err := w.interleave(programs, rounds); err != nil {
		return err
	}
	e, b, p := programs[0].median(), programs[1].median(), programs[2].median()
	fmt.Println("| program | median | p10 | p90 |\n|---|---|---|---|")
	for _, row := range programs {
		fmt.Printf("| %s | %s | %s | %s |\n", row.name, ms(row.median()), ms(row.quantile(10)), ms(row.quantile(90)))
	}
	fmt.Println("\n| figure | measured | must | aim |\n|---|---|---|---|")
	fmt.Printf("| (execute rye/bash − B) / E | %.2f | 6 | 4 |\n", ratio(programs[4].median()-b, e))
	fmt.Printf("| rye version / E | %.2f | 4.5 | 3 |\n", ratio(programs[3].median(), e))
	fmt.Printf("| (execute a Python script − P) / E | %.2f | – | – |\n", ratio(programs[5].median()-p, e))
	fmt.Println()
	return nil
}

// interleave runs every program once a round, in an order that changes each time. The first rounds warm the caches.
func (w *world) interleave(programs []*program, rounds int) error {
	const warmUp = 5
	for round := range rounds + warmUp {
		for _, i := range rand.Perm(len(programs)) {
			p := programs[i]
			cmd := w.command(p.argv[0], p.argv[1:]...)
			cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
			start := time.Now()
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if round >= warmUp {
				p.times = append(p.times, time.Since(start))
			}
			if p.settle != nil {
				if err := p.settle(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *program) median() time.Duration { return p.quantile(50) }

func (p *program) quantile(percent int) time.Duration { return quantile(p.times, percent) }

func quantile(times []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }

func us(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d)/1e3) }
