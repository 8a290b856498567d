package directive

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Inputs are the values of one call, checked against what the directive declares.
type Inputs map[string]any

// reserved are parameters that steer the engine (spec/rye-core §8.5), unless the directive declares them as inputs.
var reserved = []string{"model", "limit_overrides", "previous_thread_id"}

// Steers reports whether a parameter of this name is meant for the engine. It is never an input then.
func (d *Document) Steers(name string) bool {
	return slices.Contains(reserved, name) && d.input(name) == nil
}

func (d *Document) input(name string) *item.Parameter {
	i := slices.IndexFunc(d.Inputs, func(p item.Parameter) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &d.Inputs[i]
}

// InputError says what is wrong with the parameters, and what the directive takes.
type InputError struct {
	Err      *item.Error
	Declared []item.Parameter // `declared_inputs` of the response
}

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap gives the error that has the type and the hints.
func (e *InputError) Unwrap() error { return e.Err }

// Bind checks a caller's parameters: unknown ones, defaults, missing ones, types (spec/rye-agent §1.8). A value that
// spells its type, such as "3" for an integer, is converted. A directive without inputs takes anything. The error is an
// *InputError; params are left alone.
func (d *Document) Bind(params map[string]any) (Inputs, error) {
	in := Inputs(maps.Clone(params))
	if in == nil {
		in = Inputs{}
	}
	maps.DeleteFunc(in, func(name string, _ any) bool { return d.Steers(name) })
	if len(d.Inputs) == 0 {
		return in, nil
	}
	if err := d.checkNames(in); err != nil {
		return nil, err
	}
	var missing, wrong []string
	for _, p := range d.Inputs {
		value, given := in[p.Name]
		if !given {
			value = p.Default
		}
		switch converted, ok := convert(value, p.Type); {
		case !given && p.Default == nil:
			if p.Required {
				missing = append(missing, p.Name)
			}
		case !ok:
			wrong = append(wrong, fmt.Sprintf("%s must be %s, not %s", p.Name, withArticle(p.Type), describe(value)))
		default:
			in[p.Name] = converted
		}
	}
	switch {
	case missing != nil:
		return nil, d.inputError("Missing required inputs: %s", strings.Join(missing, ", "))
	case wrong != nil:
		return nil, d.inputError("Invalid inputs: %s", strings.Join(wrong, "; "))
	}
	return in, nil
}

func (d *Document) inputError(format string, args ...any) *InputError {
	return &InputError{Err: item.Usagef(format, args...), Declared: d.Inputs}
}

func (d *Document) checkNames(in Inputs) error {
	var unknown, names []string
	for _, p := range d.Inputs {
		names = append(names, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if d.input(name) == nil {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil
	}
	err := d.inputError("Unknown parameters: %s. Valid inputs: %s", strings.Join(unknown, ", "), strings.Join(names, ", "))
	for _, name := range unknown {
		if near := item.Suggest(name, names); near != "" {
			err.Err.Hint("did you mean %q?", near)
		}
	}
	return err
}
