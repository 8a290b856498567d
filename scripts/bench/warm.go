//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

const functionTool = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "Does nothing"
CONFIG = {"warm": %s}
def execute(params, project_path):
    return {"success": True}
`

// warmTable compares calls of a Python function in an interpreter of its own with those in a fork of one that is kept.
func (w *world) warmTable(rounds int) (err error) {
	for name, warm := range map[string]string{"cold": "False", "warm": "True"} {
		if err := errors.Join(w.write(name+".py", fmt.Sprintf(functionTool, warm)), w.sign("tool:"+name)); err != nil {
			return err
		}
	}
	eng, err := w.keepingEngine()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopKept(eng)) }()
	python, err := exec.LookPath("python3")
	if err != nil {
		return err
	}
	cold, warm, err := callsInTurn(eng, rounds)
	if err != nil {
		return err
	}
	programs := []*program{
		{name: "python3 (P)", argv: []string{python, "-c", "import json"}},
		{name: "rye execute, cold", argv: []string{w.rye, "execute", "tool:cold"}},
		{name: "rye execute, warm", argv: []string{w.rye, "execute", "tool:warm"}},
	}
	if err := w.interleave(programs, rounds); err != nil {
		return err
	}
	fmt.Println("| a Python function | median | p10 | p90 |\n|---|---|---|---|")
	for _, p := range append([]*program{{name: "Engine.Execute, cold", times: cold}, {name: "Engine.Execute, warm", times: warm}}, programs...) {
		fmt.Printf("| %s | %s | %s | %s |\n", p.name, ms(p.median()), ms(p.quantile(10)), ms(p.quantile(90)))
	}
	fmt.Printf("\n| figure | measured | must |\n|---|---|---|\n| a warm call in process | %s | 5 ms |\n\n", ms(warm[len(warm)/2]))
	return nil
}

func (w *world) sign(ref string) error {
	_, err := w.output(w.rye, "sign", ref)
	return err
}

// keepingEngine is an engine that keeps what its calls start.
func (w *world) keepingEngine() (*engine.Engine, error) {
	return engine.New(engine.Options{
		Project: w.project, User: w.home, System: rye.System(), Cache: filepath.Join(w.home, ".cache", "rye"), Env: os.Environ(),
		Binary: w.rye, PythonKeepAlive: time.Minute,
	})
}

// callsInTurn times the same function cold and warm, one call after the other. The first rounds start what is kept.
func callsInTurn(eng *engine.Engine, rounds int) (cold, warm []time.Duration, err error) {
	const warmUp = 5
	for round := range rounds + warmUp {
		for name, times := range map[string]*[]time.Duration{"cold": &cold, "warm": &warm} {
			start := time.Now()
			if resp := eng.Execute(context.Background(), item.Request{Ref: "tool:" + name}, nil, nil); resp.Failed() {
				return nil, nil, fmt.Errorf("%s: %s", name, resp.Error)
			}
			if round >= warmUp {
				*times = append(*times, time.Since(start))
			}
		}
	}
	slices.Sort(cold)
	slices.Sort(warm)
	return cold, warm, nil
}

// stopKept ends what is kept for the scratch project.
func stopKept(eng *engine.Engine) (err error) {
	for _, k := range eng.Kept(context.Background()) {
		if k.Project != eng.Project() {
			continue
		}
		err = errors.Join(err, eng.StopKept(context.Background(), k))
	}
	return err
}
