package engine

import (
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
)

// executionConfig is the configuration that steers the engine itself, below `.ai/config/` (spec/rye-core §5.4).
const executionConfig = "execution/execution.yaml"

// settings reads execution.yaml through its tiers: `defaults` for chains that name no value of their own, `tools.<id>`
// for one tool.
func (e *Engine) settings(id string) (runtime.Settings, error) {
	config, _, err := e.resolver.Config(item.ConfigSpec{Path: executionConfig, Mode: "deep_merge"})
	if err != nil {
		return runtime.Settings{}, err
	}
	defaults, tool := config.Object("defaults"), config.Object("tools").Object(id)
	var s runtime.Settings
	for _, field := range []struct {
		from *item.Object
		key  string
		into func(seconds float64)
	}{
		{defaults, "timeout", func(f float64) { s.Timeout = time.Duration(f * float64(time.Second)) }},
		{defaults, "max_output", func(f float64) { s.MaxOutput = int(f) }},
		{tool, "timeout", func(f float64) { s.ToolTimeout = time.Duration(f * float64(time.Second)) }},
		{tool, "max_output", func(f float64) { s.ToolMaxOutput = int(f) }},
	} {
		v, ok := field.from.Get(field.key)
		if !ok || v == nil {
			continue
		}
		f, isNumber := item.Float(v)
		if !isNumber || f <= 0 {
			return s, item.Errorf(item.TypeChain, "config/%s: %s must be a positive number, got %v", executionConfig, field.key, v)
		}
		field.into(f)
	}
	for _, from := range []*item.Object{defaults, tool} {
		v, ok := from.Get("pin")
		if !ok || v == nil {
			continue
		}
		if s.Pin, ok = v.(bool); !ok {
			return s, item.Errorf(item.TypeChain, "config/%s: pin must be true or false, got %v", executionConfig, v)
		}
	}
	return s, nil
}
