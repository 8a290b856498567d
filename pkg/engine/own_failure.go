package engine

import (
	"encoding/json"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// nativeRuntime executes rye's own functions.
const nativeRuntime = "rye/core/runtimes/native/native"

// ownFailure is what rye's own runtimes say in their result when something fails.
type ownFailure struct {
	Success bool           `json:"success"` // false
	Error   string         `json:"error"`
	Type    item.ErrorType `json:"error_type,omitempty"`
	Hints   []string       `json:"hints,omitempty"`
}

// ownError is the error of a run that failed. What a tool reports is just a failure; but behind rye's own runtimes is rye
// itself, which knows of what kind it was and what to do about it.
func (c *Call) ownError(o runtime.Outcome, exit int) error {
	data, ok := o.Data.(json.RawMessage)
	if !ok || exit != 0 || item.TypeOf(o.Err) != item.TypeFailed || !c.ownRuntime() {
		return o.Err
	}
	var f ownFailure
	if json.Unmarshal(data, &f) != nil || f.Type == "" {
		return o.Err
	}
	return &item.Error{Type: f.Type, Message: o.Err.Error(), Hints: f.Hints, Err: o.Err}
}

// ownRuntime reports whether the tool is executed by rye itself, through a runtime that came with it.
func (c *Call) ownRuntime() bool {
	if len(c.chain.Elements) < 2 {
		return false
	}
	r := c.chain.Elements[1]
	return (r.ID == graphRuntime || r.ID == nativeRuntime || isMCPRuntime(r.ID)) && r.Space() == space.System
}
