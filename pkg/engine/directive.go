package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/directive"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/runtime"
)

// direct answers a call of a directive (seed 002): inline, its instructions with the inputs filled in; in a dry run, what
// was understood, after everything that it extends was found and verified too.
func (c *Call) direct(params map[string]any) *item.Response {
	d, err := c.document()
	if err != nil {
		return c.failure(err)
	}
	inputs, err := d.Bind(params)
	if err != nil {
		return c.failure(err)
	}
	filled, err := d.Interpolate(inputs, c.variable)
	if err != nil {
		return c.failure(err)
	}
	if !c.request.DryRun {
		return &item.Response{Status: item.StatusSuccess, Directions: &filled.Body, Trace: c.trace()}
	}
	if _, err := directive.Compose(c.ref, d, c.engine.directive); err != nil {
		return c.failure(err)
	}
	return &item.Response{
		Status: item.StatusValidated, Message: "Directive validation passed (dry run)", Type: c.ref.Kind,
		ItemID: c.ref.String(), Inputs: inputs, Data: filled, Warnings: c.chain.Warnings, Metadata: c.facts(), Trace: c.trace(),
	}
}

// document is the directive itself, from the bytes that were verified.
func (c *Call) document() (*directive.Document, error) {
	e := c.chain.Tool()
	return directive.Parse(e.Place.Display(), e.Source())
}

// directive finds, verifies and reads one that another extends.
func (e *Engine) directive(ref item.Ref) (*directive.Document, error) {
	found, err := e.resolver.Alone(ref)
	if err != nil {
		return nil, err
	}
	return directive.Parse(found.Tool().Place.Display(), found.Tool().Source())
}

// variable is what {env:NAME} stands for. A prompt goes to a model, and may be kept by whoever runs it: secrets are never
// put in, and nothing that a tool of this caller would not see either.
func (c *Call) variable(name string) (string, bool) {
	if redact.Looks(name) {
		return "", false
	}
	o := c.engine.options
	if o.Minimal && !runtime.PassesMinimal(name) {
		return "", false
	}
	return lastValue(o.Env, name)
}

func lastValue(env []string, name string) (value string, ok bool) {
	for _, entry := range slices.Backward(env) {
		if key, value, _ := strings.Cut(entry, "="); key == name {
			return value, true
		}
	}
	return "", false
}

// DeclaredInputs are what a directive takes, for the error of a call that got them wrong; nil for tools.
func (c *Call) DeclaredInputs() []any {
	if c.ref.Kind != item.Directive {
		return nil
	}
	return inputList(c.Metadata().Parameters())
}

// declaredInputs are what the error of a directive tells about the parameters that it takes.
func declaredInputs(err error) []any {
	var wrong *directive.InputError
	if !errors.As(err, &wrong) {
		return nil
	}
	return inputList(wrong.Declared)
}

func inputList(parameters []item.Parameter) []any {
	list := []any{}
	for _, p := range parameters {
		o := item.NewObject()
		o.Set("name", p.Name)
		o.Set("type", p.Type)
		o.Set("required", p.Required)
		if p.Default != nil {
			o.Set("default", p.Default)
		}
		if p.Description != "" {
			o.Set("description", p.Description)
		}
		list = append(list, o)
	}
	return list
}
