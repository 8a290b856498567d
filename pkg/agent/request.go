package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// VariableRequest is a child that waits for variables of its own (spec/agent-runtime A8.4).
type VariableRequest struct {
	ID       string    `json:"request_id"`
	Parent   string    `json:"parent_thread_id"`
	Agent    string    `json:"agent_name"`
	Tool     string    `json:"registry_agent_name"` // the entry of the parent's prompt
	Required []string  `json:"required"`
	Missing  []string  `json:"missing"`
	Created  time.Time `json:"created_at"`
}

// VariablesAnswer says that the child has started.
type VariablesAnswer struct {
	Request string `json:"request_id"`
	Child   string `json:"child_thread_id"`
	Status  string `json:"status"` // success
}

// pendingChild is a request with all that the child is made from. The values are sealed for the request.
type pendingChild struct {
	VariableRequest
	Birth  birth            `json:"payload"`
	Values []sealedVariable `json:"values,omitempty"`
}

// lacking are the variables of its own that a child requires and has no value for.
func (r *Runtime) lacking(tx record.Reader, b *birth) (missing []string, err error) {
	agent, err := r.definitions.Agent(b.Agent)
	if err != nil {
		return nil, err
	}
	for _, name := range r.required(b.Agent) {
		found := slices.ContainsFunc(b.values, func(v Value) bool { return v.Name == name })
		for _, side := range []Side{agent.SideA, agent.SideB} {
			if found || side.Prompt == "" {
				continue
			}
			prompt, err := r.definitions.Prompt(side.Prompt)
			if err != nil {
				return nil, err
			}
			const nobody = "" // the child is not there yet, and its parent's value is not for it
			if _, found, err = r.variable(tx, nobody, agent, prompt, name); err != nil {
				return nil, err
			}
		}
		if !found {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// required are the variables that an agent needs a value of its own for.
func (r *Runtime) required(agent string) []string {
	names := []string{}
	for _, v := range r.declared(agent) {
		if v.Scoped && v.Required && !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

// MaxRequests is how many children of a thread may wait for variables.
const MaxRequests = 100

// postpone stores a child that cannot be made yet, and tells how it can.
func (f *flow) postpone(tx record.Tx, t *Thread, b *birth, missing []string) (ToolResult, error) {
	siblings, err := children.list(tx, t.ID, record.Range{})
	if err != nil {
		return ToolResult{}, err
	}
	if err := f.mayCreate(tx, t, siblings, b); err != nil {
		return ToolResult{}, err
	}
	waiting, err := requests.names(tx, t.ID, record.Range{Limit: MaxRequests})
	if err != nil {
		return ToolResult{}, err
	}
	if len(waiting) >= MaxRequests {
		return ToolResult{}, refuse("requests_exceeded", "Limit exceeded: requests (%d/%d): so many subagents wait for variables that a person has to give (MaxRequests)", len(waiting), MaxRequests)
	}
	p := &pendingChild{Birth: *b, VariableRequest: VariableRequest{ID: f.newID(), Parent: t.ID, Agent: b.Agent, Tool: b.Tool,
		Required: f.required(b.Agent), Missing: missing, Created: f.now()}}
	for _, v := range b.values {
		sealed, err := f.seal(p.ID, v)
		if err != nil {
			return ToolResult{}, err
		}
		p.Values = append(p.Values, *sealed)
	}
	if err := requests.put(tx, t.ID, p.ID, p); err != nil {
		return ToolResult{}, err
	}
	data, err := json.Marshal(object{"request_id": p.ID, "endpoint": "/api/threads/" + t.ID + "/variables/" + p.ID,
		"command": "rye threads vars " + t.ID + " " + p.ID, "required": p.Required, "missing": missing, "agent": b.Agent})
	if err != nil {
		return ToolResult{}, err
	}
	result := ToolResult{ErrorCode: "subagent_env_required", ErrorData: data,
		Error: fmt.Sprintf("the subagent %s needs values for %s that a person has to give (request %s); it starts by itself then, and you will get a message",
			b.Agent, strings.Join(missing, ", "), p.ID)}
	return result, f.note(tx, t.ID, "subagent_event", Metadata{"subagent_event": childFailed, "agent": b.Agent, "error_code": result.ErrorCode, "request_id": p.ID})
}

// VariableRequest returns a request of a thread.
func (r *Runtime) VariableRequest(ctx context.Context, parent, id string) (*VariableRequest, error) {
	var p *pendingChild
	err := r.storage.View(ctx, func(tx record.Reader) (err error) {
		p, err = loadRequest(tx, parent, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &p.VariableRequest, nil
}

func loadRequest(tx record.Reader, parent, id string) (*pendingChild, error) {
	p, err := requests.get(tx, parent, id)
	if err == nil && p == nil {
		err = item.Errorf(item.TypeNotFound, "thread %s has no request %s for variables: there is none, or it is fulfilled", parent, id)
	}
	return p, err
}

// SubmitVariables gives values to a child that waits for them. Once none is missing the child starts. Values are kept until
// then: the error of a part of them names the rest.
func (r *Runtime) SubmitVariables(ctx context.Context, parent, id string, given map[string]string) (*VariablesAnswer, error) {
	var n news
	var child *Child
	var missing []string
	err := r.storage.Update(ctx, func(tx record.Tx) error {
		n, child, missing = news{}, nil, nil
		t, err := loadLive(tx, parent)
		if err != nil {
			return err
		}
		p, err := loadRequest(tx, parent, id)
		if err != nil {
			return err
		}
		if err := r.accept(p, given); err != nil {
			return err
		}
		if missing = p.Missing; len(missing) > 0 {
			return requests.put(tx, parent, id, p)
		}
		if child, err = r.bearPending(tx, &n, t, p); err != nil {
			return err
		}
		return requests.delete(tx, parent, id)
	})
	var no *refusal
	switch {
	case errors.As(err, &no):
		return nil, item.Errorf(item.TypeLimit, "the subagent cannot start: %s", no.Error())
	case err != nil:
		return nil, err
	case len(missing) > 0:
		return nil, item.Usagef("values are missing for %s", strings.Join(missing, ", ")).Hint("rye threads vars %s %s", parent, id)
	}
	r.born(ctx, child, &n)
	return &VariablesAnswer{Request: id, Child: child.Reference, Status: "success"}, nil
}

// accept seals values for a request.
func (r *Runtime) accept(p *pendingChild, given map[string]string) error {
	if len(given) == 0 {
		return item.Usagef("no values were given; missing: %s", strings.Join(p.Missing, ", "))
	}
	declared := r.declared(p.Agent)
	for name, value := range given {
		at := slices.IndexFunc(declared, func(v Variable) bool { return v.Name == name && v.Scoped })
		if at < 0 {
			return item.Usagef("the agent %s does not ask for %s; missing: %s", p.Agent, item.Quote(name), strings.Join(p.Missing, ", "))
		}
		if value == "" {
			continue
		}
		sealed, err := r.seal(p.ID, Value{name, value, declared[at].Secret})
		if err != nil {
			return err
		}
		p.Values = append(slices.DeleteFunc(p.Values, func(v sealedVariable) bool { return v.Name == name }), *sealed)
		p.Missing = slices.DeleteFunc(p.Missing, func(missing string) bool { return missing == name })
	}
	return nil
}

// bearPending makes the child. The call that wanted it is over: the parent gets a message when the child is done.
func (r *Runtime) bearPending(tx record.Tx, n *news, t *Thread, p *pendingChild) (*Child, error) {
	b := &p.Birth
	b.Blocking = false
	for i := range p.Values {
		v, err := r.unseal(p.ID, &p.Values[i])
		if err != nil {
			return nil, err
		}
		b.values = append(b.values, v)
	}
	child, err := r.createChild(tx, n, t, b)
	if err != nil {
		return nil, err
	}
	return child, threads.put(tx, t.ID, the, t)
}
