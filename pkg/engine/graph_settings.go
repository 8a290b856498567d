package engine

import (
	"github.com/ryeos/rye/pkg/item"
)

// graphSettings are the defaults of graphs that declare no value themselves.
type graphSettings struct{ maxSteps, maxConcurrency int }

// graphSettings reads them from execution.yaml; 100 and 10 where it says nothing (spec/rye-agent §3.1).
func (e *Engine) graphSettings() (graphSettings, error) {
	s := graphSettings{maxSteps: 100, maxConcurrency: 10}
	config, _, err := e.resolver.Config(item.ConfigSpec{Path: executionConfig, Mode: "deep_merge"})
	if err != nil {
		return s, err
	}
	for key, into := range map[string]*int{"max_steps": &s.maxSteps, "max_concurrency": &s.maxConcurrency} {
		v, ok := config.Object("defaults").Get(key)
		if !ok || v == nil {
			continue
		}
		f, isNumber := item.Float(v)
		if !isNumber || f < 1 || f != float64(int(f)) {
			return s, item.Errorf(item.TypeChain, "config/%s: %s must be a positive whole number, got %v", executionConfig, key, v)
		}
		*into = int(f)
	}
	return s, nil
}
