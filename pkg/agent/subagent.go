package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// subagentTool is a call of an agent that runs in a thread of its own (seed 004 §7).
func (f *flow) subagentTool(s Scope, entry *Tool) (runner, ToolResult) {
	switch sub := entry.Subagent; {
	case sub != nil && !f.enabled(s, entry):
		return nil, f.notAvailable(s, entry.Name)
	case sub != nil && sub.Resumable != nil:
		return nil, ToolResult{ErrorCode: "not_available",
			Error: fmt.Sprintf("tool not available for this prompt: %s; it is a subagent: start one with %s and agent %q", entry.Name, createTool, entry.Name)}
	}
	return func(_ context.Context, s Scope, c *Call, row *Message) ToolResult {
		b := newBirth(s, entry)
		b.Arguments = c.Arguments
		if refused := b.mapArguments(entry); refused != nil {
			return *refused
		}
		return f.startChild(b, row)
	}, ToolResult{}
}

// enabled reports whether an optional subagent is there (spec/agent-runtime A8.5).
func (f *flow) enabled(s Scope, entry *Tool) bool {
	if entry.Subagent == nil || entry.Subagent.Optional == "" {
		return true
	}
	var v Value
	err := f.storage.View(f.ctx, func(tx record.Reader) (err error) {
		v, _, err = f.variable(tx, f.thread.ID, s.Agent, s.Prompt, entry.Subagent.Optional)
		return err
	})
	if err != nil {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(v.Value)) {
	case "true", "1", "yes":
		return true
	}
	return false
}

// startChild makes a child. The call of a blocking one takes as long as the child does.
func (f *flow) startChild(b *birth, row *Message) ToolResult {
	child, result := f.bear(b, row, nil)
	if child == nil {
		return result
	}
	if b.Blocking {
		return f.await(child.Reference, 0)
	}
	return ToolResult{Subagent: child.Reference,
		Result: fmt.Sprintf("The subagent %s has started. You will get a message when it is done.", child.label())}
}

// bear stores a child, together with another change, and tells who has to know. Without a child the result says why.
func (f *flow) bear(b *birth, row *Message, with change) (child *Child, result ToolResult) {
	var n news
	err := f.update(func(tx record.Tx, t *Thread) error {
		n, child, result = news{}, nil, ToolResult{}
		if with != nil {
			if err := with(tx, t); err != nil {
				return err
			}
		}
		missing, err := f.lacking(tx, b)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			result, err = f.postpone(tx, t, b, missing)
			return err
		}
		if row != nil && b.Blocking {
			b.Call = row.ID
		}
		if child, err = f.createChild(tx, &n, t, b); err != nil || row == nil {
			return err
		}
		row.Subagent = child.Reference // also for who takes up a call that was interrupted
		return storeMessage(tx, t.ID, row)
	})
	if err != nil {
		return nil, refusedBy(err)
	}
	if child != nil {
		f.born(f.ctx, child, &n)
	}
	return child, result
}

// born tells of a child that is in the storage.
func (r *Runtime) born(ctx context.Context, child *Child, n *news) {
	agent, _ := r.definitions.Agent(child.Agent)
	r.lifecycle(ctx, AfterSubagentCreated, &PointData{Scope: Scope{Thread: child.Reference, Agent: agent}, State: r.state(child.Reference, nil)})
	r.publish(ctx, n)
}

// await runs a child in this flow until a session after the one that was told before has ended. Whoever runs it already, the
// result is what the registry says in the end.
func (f *flow) await(reference string, told int) ToolResult {
	ctx, cancel := f.lend()
	defer cancel()
	for {
		_, err := f.Runtime.Run(ctx, reference)
		c, lost := f.child(reference)
		busy := errors.Is(err, ErrBusy)
		switch {
		case lost != nil:
			return refusedBy(lost)
		case c.Told > told && (!busy || !c.Running):
			return c.result()
		case f.ctx.Err() != nil:
			return ToolResult{Error: context.Cause(f.ctx).Error(), ErrorCode: "interrupted"}
		case busy:
			_ = f.clock.Sleep(ctx, look) // the end of ctx is seen above
		case err != nil:
			return ToolResult{Error: fmt.Sprintf("the subagent %s could not be run: %v", c.label(), err), ErrorCode: subagentFailed, Subagent: reference}
		default:
			return ToolResult{Error: fmt.Sprintf("the subagent %s was stopped", c.label()), ErrorCode: subagentFailed, Subagent: reference}
		}
	}
}

// lend is the context of a child that runs in this flow. What ends the parent interrupts the child; but orders to the parent
// are none to the child, and those to terminate it are in the storage.
func (f *flow) lend() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(f.ctx))
	stop := context.AfterFunc(f.ctx, func() { cancel(fmt.Errorf("the parent was interrupted: %v", context.Cause(f.ctx))) })
	return ctx, func() { stop(); cancel(nil) }
}

func (f *flow) child(reference string) (*Child, error) {
	var c *Child
	err := f.storage.View(context.WithoutCancel(f.ctx), func(tx record.Reader) (err error) {
		c, err = children.get(tx, f.thread.ID, reference)
		if err == nil && c == nil {
			err = item.Errorf(item.TypeNotFound, "thread %s has no child %s", f.thread.ID, reference)
		}
		return err
	})
	return c, err
}

const subagentFailed = "subagent_failed"

// result is the end of a child as the result of the call that waited for it.
func (c *Child) result() ToolResult {
	said := c.Result.Message + "\n\n[subagent " + c.label() + "]"
	result := ToolResult{Attachments: c.Result.Attachments, Subagent: c.Reference}
	if c.Result.Failed {
		result.Error, result.ErrorCode = said, subagentFailed
	} else {
		result.Result = said
	}
	return result
}

// answerOfChild is the result of a call that waits for a child, if the child has ended already.
func answerOfChild(tx record.Reader, thread string, row *Message) (*ToolResult, error) {
	if row.Subagent == "" {
		return nil, nil
	}
	c, err := children.get(tx, thread, row.Subagent)
	if err != nil || c == nil || c.Call != row.ID || c.Result == nil {
		return nil, err
	}
	result := c.result()
	return &result, nil
}

// refusal is an error that a model can do something about: it takes a transaction back and becomes the tool's result.
type refusal struct{ ToolResult }

func (r *refusal) Error() string { return r.ToolResult.Error }

func refuse(code, format string, args ...any) *refusal {
	return &refusal{ToolResult{Error: fmt.Sprintf(format, args...), ErrorCode: code}}
}

// refusedBy is an error as a result.
func refusedBy(err error) ToolResult {
	var no *refusal
	if errors.As(err, &no) {
		return no.ToolResult
	}
	return ToolResult{Error: err.Error(), ErrorCode: string(item.TypeOf(err))}
}

// paths reads a list of files from an argument: paths, or objects with one.
func paths(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("it is not a list of paths")
	}
	names := make([]string, len(list))
	for i, v := range list {
		var object struct{ Path string }
		if json.Unmarshal(v, &names[i]) != nil && (json.Unmarshal(v, &object) != nil || object.Path == "") {
			return nil, fmt.Errorf("%s is not a path", v)
		}
		if object.Path != "" {
			names[i] = object.Path
		}
	}
	return names, nil
}
