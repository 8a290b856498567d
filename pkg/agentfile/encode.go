package agentfile

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
)

// Object is what the file defines, in the words of files: defaults are left out, and of several ways to write the same
// there is one. What describes the item (version, category, …) is not part of it.
func (f *File) Object() *item.Object {
	o := item.NewObject()
	if f.Agent != nil {
		encodeAgent(o, f.Agent)
	}
	prompts, models := item.NewObject(), item.NewObject()
	for _, p := range f.Prompts {
		prompts.Set(p.Name, encodePrompt(p))
	}
	for _, m := range f.Models {
		models.Set(m.Name, encodeModel(m))
	}
	set(o, "prompts", prompts)
	set(o, "models", models)
	return o
}

// set leaves out what says nothing.
func set(o *item.Object, key string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case bool:
		if !v {
			return
		}
	case int:
		if v == 0 {
			return
		}
		value = int64(v)
	case []any:
		if v == nil {
			return
		}
	case *item.Object:
		if v.Len() == 0 {
			return
		}
	case json.RawMessage:
		if v == nil {
			return
		}
	}
	o.Set(key, value)
}

// setOff writes the keys that are true by default.
func setOff(o *item.Object, key string, off bool) {
	if off {
		o.Set(key, false)
	}
}

func encodeAgent(o *item.Object, a *agent.Agent) {
	set(o, "type", string(a.Kind))
	set(o, "title", a.Title)
	o.Set("side_a", encodeSide(a.SideA))
	set(o, "side_b", encodeSide(a.SideB))
	set(o, "max_session_turns", a.MaxSessionTurns)
	set(o, "expose_as_tool", a.ExposeAsTool)
	set(o, "tool_description", a.ToolDescription)
	set(o, "env", encodeEnv(a.Env))
	set(o, "compact_at", a.CompactAt)
	set(o, "on_context_limit", string(a.OnContextLimit))
	l, limits := a.Limits, item.NewObject()
	set(limits, "turns", l.Steps)
	set(limits, "tokens", int(l.Tokens))
	setMicros(limits, "spend", l.Spend)
	set(limits, "duration_seconds", int(l.Duration/time.Second))
	set(limits, "spawns", l.Spawns)
	set(limits, "depth", l.Depth)
	set(o, "limits", limits)
}

func setMicros(o *item.Object, key string, micros int64) {
	if micros != 0 {
		o.Set(key, float64(micros)/1e6)
	}
}

func encodeSide(s agent.Side) *item.Object {
	o := item.NewObject()
	set(o, "prompt", s.Prompt)
	set(o, "label", s.Label)
	setOff(o, "stop_on_response", s.KeepGoing)
	set(o, "stop_tool", s.StopTool)
	set(o, "stop_tool_response_property", s.StopToolResponse)
	set(o, "max_steps", s.MaxSteps)
	set(o, "session_stop", encodeBinding(s.SessionStop))
	set(o, "session_fail", encodeBinding(s.SessionFail))
	set(o, "session_status", encodeBinding(s.SessionStatus))
	return o
}

// encodeBinding is the name alone where that says it all.
func encodeBinding(b agent.Binding) any {
	if b.Message == "" && b.Attachments == "" {
		return b.Tool
	}
	o := item.NewObject()
	set(o, "name", b.Tool)
	set(o, "message_property", b.Message)
	set(o, "attachments_property", b.Attachments)
	return o
}

func encodeEnv(env map[string]string) *item.Object {
	o := item.NewObject()
	for _, name := range slices.Sorted(maps.Keys(env)) {
		o.Set(name, env[name])
	}
	return o
}

func encodeModel(m *agent.Model) *item.Object {
	o := item.NewObject()
	set(o, "provider", m.Provider)
	set(o, "model", m.ID)
	var fallbacks []any
	for _, name := range m.Fallbacks {
		fallbacks = append(fallbacks, name)
	}
	set(o, "fallbacks", fallbacks)
	set(o, "vision", m.Vision)
	set(o, "max_context_tokens", m.MaxContext)
	pricing := item.NewObject()
	setMicros(pricing, "input", m.Price.Input)
	setMicros(pricing, "cached", m.Price.Cached)
	setMicros(pricing, "output", m.Price.Output)
	set(o, "pricing", pricing)
	return o
}
