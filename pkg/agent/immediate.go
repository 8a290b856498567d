package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/record"
)

// indexed separates a variable from the number of the instance that it is for: NAME, NAME__2, NAME__3.
const indexed = "__"

// startImmediate starts the children that a prompt wants before its first step (spec/agent-runtime A8.5), once for each side
// and prompt. It reports whether it did anything: then the step begins anew. The children's own immediate children start in
// their flows.
func (f *flow) startImmediate(agent *Agent, prompt *Prompt) (bool, error) {
	s := Scope{Thread: f.thread.ID, Side: f.thread.Session.Side, Agent: agent, Prompt: prompt}
	done := string(s.Side) + "/" + prompt.Name
	wants := slices.ContainsFunc(prompt.Tools, func(t Tool) bool { return t.Subagent != nil && t.Subagent.Immediate != nil })
	if !wants || f.thread.Session.Activated[done] > 0 {
		return false, nil
	}
	started := false
	for i := range prompt.Tools {
		entry := &prompt.Tools[i]
		if entry.Subagent == nil || entry.Subagent.Immediate == nil || !f.enabled(s, entry) {
			continue
		}
		for n := 1; n <= maxImmediate(entry.Subagent); n++ {
			key := fmt.Sprintf("%s/%s/%d", done, entry.Name, n)
			if f.thread.Session.Activated[key] == 0 {
				if there, err := f.hasInstance(s, entry, n); err != nil {
					return false, err
				} else if !there {
					break
				}
				if err := f.startInstance(s, entry, n, key); err != nil {
					return false, err
				}
				started = true
			}
		}
	}
	awaited, err := f.awaitImmediate(done)
	if err != nil {
		return false, err
	}
	return started || awaited, f.update(func(_ record.Tx, t *Thread) error { t.activate(done); return nil })
}

func (t *Thread) activate(key string) {
	if t.Session.Activated == nil {
		t.Session.Activated = map[string]int{}
	}
	t.Session.Activated[key]++
}

// maxImmediate bounds the instances of an entry that are started unasked.
func maxImmediate(s *Subagent) int {
	i := s.Immediate
	if s.Resumable == nil || i.NameEnv == "" && i.DescriptionEnv == "" && len(i.ScopedEnv) == 0 {
		return 1
	}
	return or(s.Resumable.MaxInstances, DefaultThreads)
}

// nth is the name of a variable for an instance.
func nth(name string, n int) string {
	if n == 1 || name == "" {
		return name
	}
	return fmt.Sprintf("%s%s%d", name, indexed, n)
}

// hasInstance reports whether an instance is wanted: the first always, others if a variable is set for them.
func (f *flow) hasInstance(s Scope, entry *Tool, n int) (found bool, err error) {
	if n == 1 {
		return true, nil
	}
	i := entry.Subagent.Immediate
	err = f.storage.View(f.ctx, func(tx record.Reader) error {
		for _, name := range append([]string{i.NameEnv, i.DescriptionEnv}, i.ScopedEnv...) {
			if name == "" || found {
				continue
			}
			if _, found, err = f.variable(tx, f.thread.ID, s.Agent, s.Prompt, nth(name, n)); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// startInstance starts a child. That it was started is noted in the transaction that makes it; so is that it could not be.
func (f *flow) startInstance(s Scope, entry *Tool, n int, key string) error {
	b := newBirth(s, entry)
	b.Immediate, b.Arguments = key, f.thread.Arguments
	if refused := b.mapArguments(entry); refused != nil {
		return f.immediateFailed(entry, key, *refused, nothing)
	}
	if strings.TrimSpace(b.Message) == "" {
		b.Message = "Begin."
	}
	used, err := f.bootstrap(s, entry, n, b)
	if err != nil {
		return err
	}
	child, result := f.bear(b, nil, func(tx record.Tx, t *Thread) error {
		t.activate(key)
		if err := used(tx, t); err != nil {
			return err
		}
		b.values, err = f.moveVariables(tx, s, entry, n)
		return err
	})
	if child == nil && f.thread.Session.Activated[key] == 0 {
		return f.immediateFailed(entry, key, result, used)
	}
	return nil
}

// moveVariables takes the values for an instance out of the parent. Those that are not the parent's own are copied.
func (f *flow) moveVariables(tx record.Tx, s Scope, entry *Tool, n int) ([]Value, error) {
	var moved []Value
	for _, name := range entry.Subagent.Immediate.ScopedEnv {
		from := nth(name, n)
		v, found, err := f.variable(tx, s.Thread, s.Agent, s.Prompt, from)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		if err := variables.delete(tx, s.Thread, from); err != nil {
			return nil, err
		}
		moved = append(moved, Value{name, v.Value, true})
	}
	return moved, nil
}

// immediateFailed notes that a child could not be started; the parent goes on without it.
func (f *flow) immediateFailed(entry *Tool, key string, result ToolResult, used change) error {
	if f.ctx.Err() != nil {
		return f.update(nothing) // says why
	}
	return f.update(func(tx record.Tx, t *Thread) error {
		t.activate(key)
		if err := used(tx, t); err != nil {
			return err
		}
		return f.note(tx, t.ID, "subagent_event", Metadata{"subagent_event": childFailed, "agent": entry.Name, "error": result.Error, "error_code": result.ErrorCode})
	})
}

// awaitImmediate runs the children that the parent waits for. Their results are in its queue afterwards.
func (f *flow) awaitImmediate(done string) (awaited bool, err error) {
	list, err := f.registry()
	for _, c := range list {
		if c.Running && c.Blocking && strings.HasPrefix(c.Immediate, done+"/") {
			awaited = true
			f.await(c.Reference, c.Told)
		}
	}
	return awaited, err
}
