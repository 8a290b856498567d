package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("B7-48", behavesToolbox)
}

// says is a function that answers with a text.
func says(name, text string) agent.Function {
	return agent.Function{Name: name, Run: done(text)}
}

func call(h agent.Hook, name, arguments string) agent.ToolResult {
	result, claimed := h.Dispatch(context.Background(), agent.Call{Name: name, Arguments: []byte(arguments)})
	if !claimed || !h.Claim(name) {
		return agent.ToolResult{Error: "not claimed"}
	}
	return result
}

func behavesToolbox(t *testing.T, _ record.Storage) {
	b, err := agent.NewToolbox(says("b", "1"), says("a", "2"))
	if err == nil {
		err = b.Add(says("b", "3"))
	}
	if err != nil {
		t.Fatal(err)
	}
	same(t, "names", b.Names(), "b", "a")
	if r := call(b, "b", `{}`); r.Result != "3" {
		t.Errorf("the function that replaces another says %+v", r)
	}
	if r := call(b, "c", `{}`); r.Error != "not claimed" {
		t.Errorf("a function that is not there says %+v", r)
	}
	same(t, "all", b.Filtered().Names(), "b", "a")
	same(t, "some", b.Filtered("c", "a").Names(), "a")
	if !b.Remove("b") || b.Remove("b") || b.Claim("b") {
		t.Error("a function is removed once")
	}
	same(t, "what is left", b.Names(), "a")
}

func TestToolboxSchemas(t *testing.T) {
	b, err := agent.NewToolbox(agent.Function{Name: "a", Description: "A", Parameters: `{"type":"object","required":["x"]}`, Run: done("")}, says("b", ""))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range b.Schemas(agent.Scope{}) {
		got = append(got, s.Name+" "+s.Description+" "+string(s.Parameters))
	}
	same(t, "schemas", got, `a A {"type":"object","required":["x"]}`, `b  {"type":"object","properties":{}}`)
	for _, f := range []agent.Function{{Name: "a"}, {Run: done("")}, {Name: "a", Run: done(""), Parameters: `[]`}} {
		if err := b.Add(f); err == nil {
			t.Errorf("the toolbox takes %+v", f)
		}
	}
}

func TestTyped(t *testing.T) {
	b, err := agent.NewToolbox(agent.Function{Name: "half", Run: agent.Typed(func(_ context.Context, _ agent.Call, in struct{ Of int }) (string, error) {
		if in.Of%2 != 0 {
			return "", errors.New("it is odd")
		}
		return strings.Repeat("x", in.Of/2), nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		`{"of":6}`: "xxx", `{"of":3}`: "it is odd", `{}`: "", `{"of":"6"}`: `"Of" is a string, and has to be of the type int`, `{"of":2,"x":1}`: `unknown field "x"`,
	} {
		r := call(b, "half", arguments)
		if !strings.Contains(r.Result+r.Error, want) || r.Failed() != (arguments != `{"of":6}` && arguments != `{}`) {
			t.Errorf("half%s: %+v, want %q", arguments, r, want)
		}
	}
}

func TestProviderFunc(t *testing.T) {
	_, o := converse(t, agent.Config{
		Storage: record.NewMemory(), Clock: threeParts(nil, nil).Clock, Definitions: threeParts(nil, nil).Definitions,
		Provider: agent.ProviderFunc(func(context.Context, agent.Request) (agent.Response, error) {
			return agent.Response{}, &agent.ProviderError{Err: errRefused}
		}),
	})
	if o.Reason != agent.StepError || o.Error != errRefused.Error() {
		t.Errorf("outcome %+v", o)
	}
}
