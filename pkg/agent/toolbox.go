package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Function is a tool that is written in Go.
type Function struct {
	Name        string
	Description string
	Parameters  string // JSON Schema of an object; any object if empty
	Run         func(ctx context.Context, c Call) ToolResult
}

// Typed makes the Run of a Function that wants its arguments in a type of its own. An error is the tool's failure, and so
// are arguments that are not of the type.
func Typed[A any](run func(ctx context.Context, c Call, arguments A) (string, error)) func(context.Context, Call) ToolResult {
	return func(ctx context.Context, c Call) ToolResult {
		var arguments A
		decoder := json.NewDecoder(bytes.NewReader(c.Arguments))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&arguments); err != nil {
			return ToolResult{Error: "the arguments of " + c.Name + " are not what it takes: " + mismatch(err), ErrorCode: "invalid_arguments"}
		}
		result, err := run(ctx, c, arguments)
		if err != nil {
			return ToolResult{Error: err.Error()}
		}
		return ToolResult{Result: result}
	}
}

// mismatch is an error of decoding in words that need no Go.
func mismatch(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Sprintf("%q is a %s, and has to be of the type %s", wrong.Field, wrong.Value, wrong.Type)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// Toolbox is a Hook of functions. It is filled before flows run.
type Toolbox struct {
	NopHook
	functions []Function
}

// NewToolbox makes a Toolbox.
func NewToolbox(list ...Function) (*Toolbox, error) {
	b := &Toolbox{}
	for _, f := range list {
		if err := b.Add(f); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Add puts a function into the box, in the place of one of the same name.
func (b *Toolbox) Add(f Function) error {
	var object map[string]json.RawMessage
	switch {
	case f.Name == "" || f.Run == nil:
		return item.Usagef("a function of a toolbox has a name and something to run")
	case f.Parameters != "" && json.Unmarshal([]byte(f.Parameters), &object) != nil:
		return item.Usagef("the parameters of the function %s are not a JSON object", f.Name)
	}
	if i := b.index(f.Name); i >= 0 {
		b.functions[i] = f
		return nil
	}
	b.functions = append(b.functions, f)
	return nil
}

// Remove takes a function out and reports whether it was there.
func (b *Toolbox) Remove(name string) bool {
	i := b.index(name)
	if i >= 0 {
		b.functions = slices.Delete(b.functions, i, i+1)
	}
	return i >= 0
}

// Names are those of the functions, in the order in which they were added.
func (b *Toolbox) Names() []string {
	names := make([]string, len(b.functions))
	for i, f := range b.functions {
		names[i] = f.Name
	}
	return names
}

// Filtered is a Toolbox of the functions with these names, or of all if there are none. Names that it does not know are
// left out.
func (b *Toolbox) Filtered(names ...string) *Toolbox {
	kept := slices.Clone(b.functions)
	if len(names) > 0 {
		kept = slices.DeleteFunc(kept, func(f Function) bool { return !slices.Contains(names, f.Name) })
	}
	return &Toolbox{functions: kept}
}

func (b *Toolbox) index(name string) int {
	return slices.IndexFunc(b.functions, func(f Function) bool { return f.Name == name })
}

// Schemas implements Hook.
func (b *Toolbox) Schemas(Scope) []ToolSchema {
	list := make([]ToolSchema, len(b.functions))
	for i, f := range b.functions {
		list[i] = ToolSchema{Name: f.Name, Description: f.Description, Parameters: orEmpty([]byte(f.Parameters))}
	}
	return list
}

// Claim implements Hook.
func (b *Toolbox) Claim(name string) bool { return b.index(name) >= 0 }

// Dispatch implements Hook.
func (b *Toolbox) Dispatch(ctx context.Context, c Call) (ToolResult, bool) {
	i := b.index(c.Name)
	if i < 0 {
		return ToolResult{}, false
	}
	return b.functions[i].Run(ctx, c), true
}

// HookEnv is an Env that has a hook and nothing else.
type HookEnv struct {
	NopEnv
	Of Hook
}

// Hook implements Env.
func (e HookEnv) Hook() Hook { return e.Of }
