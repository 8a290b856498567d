package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// maxParams bounds parameters read from a file or a pipe, in bytes.
const maxParams = 256 << 20

// parameters maps what follows the reference to the tool's parameters, over those of --params and those of the request
// that is repeated. rye's own flags among them are set on the way.
func (a *app) parameters(o *executeOptions, call *engine.Call, fs *pflag.FlagSet, args []string) (map[string]any, error) {
	m := &mapping{meta: call.Metadata(), flags: fs, given: map[string]any{}, own: call.Overrides(o.own)}
	if err := m.read(args); err != nil {
		if !m.meta.Declares("output") {
			scanOutputFlag(fs, args)
		}
		return nil, err
	}
	if err := a.checkOutput(); err != nil {
		return nil, err
	}
	params, err := a.baseParameters(o.params)
	if err != nil {
		return nil, err
	}
	maps.Copy(params, m.given)
	if o.extend != nil {
		if err := o.extend(params); err != nil {
			return nil, err
		}
	}
	if o.again == nil {
		return params, nil
	}
	all := map[string]any{}
	maps.Copy(all, o.again.Request.Parameters)
	maps.Copy(all, params)
	return all, o.again.Check(all)
}

// baseParameters reads --params: JSON, @FILE, or - for standard input. An empty pipe is no parameters.
func (a *app) baseParameters(source string) (map[string]any, error) {
	data := []byte(source)
	var err error
	switch {
	case source == "-":
		data, err = io.ReadAll(io.LimitReader(a.stdin, maxParams+1))
	case strings.HasPrefix(source, "@"):
		data, err = os.ReadFile(source[1:])
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, item.Errorf(item.TypeUsage, "no such file: %s", source[1:])
	case err != nil:
		return nil, item.Usagef("reading the parameters: %w", err)
	case len(data) > maxParams:
		return nil, item.Usagef("the parameters are larger than %d MiB", maxParams>>20)
	case strings.TrimSpace(string(data)) == "":
		return map[string]any{}, nil
	}
	return item.DecodeParameters(data)
}

// mapping turns the words after a reference into parameters (design §5).
type mapping struct {
	meta  *item.Metadata
	flags *pflag.FlagSet
	given map[string]any
	own   []string // flags that stand before parameters of the same name
}

func (m *mapping) read(args []string) error {
	ownOnly := false // after --, every name is the tool's
	for i := 0; i < len(args); i++ {
		word := args[i]
		var used int
		var err error
		switch {
		case word == "--" && !ownOnly:
			ownOnly = true
		case strings.HasPrefix(word, "--") && len(word) > 2:
			used, err = m.long(word[2:], args[i+1:], ownOnly)
		case strings.HasPrefix(word, "-") && len(word) > 1 && !ownOnly:
			used, err = m.short(word[1:], args[i+1:])
		default:
			err = item.Usagef("unexpected argument %s: parameters are written --name value", item.Quote(word))
		}
		if err != nil {
			return err
		}
		i += used
	}
	return nil
}

// long handles --name, --name=value and --no-name; it gives the number of further words used.
func (m *mapping) long(word string, rest []string, ownOnly bool) (int, error) {
	name, value, hasValue := strings.Cut(word, "=")
	key := strings.ReplaceAll(name, "-", "_")
	if flag := m.flags.Lookup(name); flag != nil && !ownOnly && (!m.meta.Declares(key) || slices.Contains(m.own, name)) {
		return setFlag(m.flags, flag, value, hasValue, rest)
	}
	if positive, ok := strings.CutPrefix(key, "no_"); ok && !hasValue && !m.meta.Declares(key) &&
		(m.meta.Declares(positive) || m.meta.OpenParameters()) {
		m.add(positive, false)
		return 0, nil
	}
	if !ownOnly && !m.meta.Declares(key) && !m.meta.OpenParameters() {
		if near := nearFlag(m.flags, name); near != "" && m.nearest(key) == "" {
			return 0, item.Usagef("unknown parameter %s", item.Quote(key)).Hint("did you mean --%s?", near)
		}
	}
	p := m.parameter(key)
	if hasValue {
		m.add(key, coerce(p, value))
		return 0, nil
	}
	if len(rest) > 0 && takesNext(p, rest[0]) {
		m.add(key, coerce(p, rest[0]))
		return 1, nil
	}
	if p.Type != "" && p.Type != "boolean" {
		return 0, item.Usagef("--%s needs a value", name)
	}
	m.add(key, true)
	return 0, nil
}

// nearest is the parameter that key may be a misspelling of, or "".
func (m *mapping) nearest(key string) string {
	var names []string
	for _, p := range m.meta.Parameters() {
		names = append(names, p.Name)
	}
	return item.Suggest(key, names)
}

// takesNext decides whether the next word is a parameter's value: for a declared one that is no boolean always, so that
// values may start with a dash.
func takesNext(p item.Parameter, next string) bool {
	switch p.Type {
	case "boolean":
		return next == "true" || next == "false"
	case "":
		return !strings.HasPrefix(next, "--")
	}
	return true
}

// parameter is the schema's entry, or one without a type for names that the schema does not have.
func (m *mapping) parameter(key string) item.Parameter {
	params := m.meta.Parameters()
	if i := slices.IndexFunc(params, func(p item.Parameter) bool { return p.Name == key }); i >= 0 {
		return params[i]
	}
	return item.Parameter{Name: key}
}

// add sets a parameter; one that was given before becomes a list.
func (m *mapping) add(key string, value any) {
	before, repeated := m.given[key]
	isList := m.parameter(key).Type == "array"
	switch list, ok := before.([]any); {
	case !repeated:
		m.given[key] = value
	case ok && isList:
		if more, ok := value.([]any); ok {
			m.given[key] = append(list, more...)
		}
	case ok:
		m.given[key] = append(list, value)
	default:
		m.given[key] = []any{before, value}
	}
}

// short handles rye's one-letter flags, the only ones there are.
func (m *mapping) short(letters string, rest []string) (int, error) {
	flag := m.flags.ShorthandLookup(letters[:1])
	if flag == nil {
		return 0, item.Usagef("unexpected argument %s: parameters are written --name value", item.Quote("-"+letters))
	}
	value := strings.TrimPrefix(letters[1:], "=")
	return setFlag(m.flags, flag, value, len(letters) > 1, rest)
}

func setFlag(fs *pflag.FlagSet, flag *pflag.Flag, value string, hasValue bool, rest []string) (int, error) {
	used := 0
	switch {
	case hasValue:
	case flag.NoOptDefVal != "":
		value = flag.NoOptDefVal
	case len(rest) == 0:
		return 0, item.Usagef("--%s needs a value", flag.Name)
	default:
		value, used = rest[0], 1
	}
	if err := fs.Set(flag.Name, value); err != nil {
		return 0, item.Usagef("%w", err)
	}
	return used, nil
}

// scanOutputFlag takes --output from words that cannot be read as parameters: it decides how that is reported.
func scanOutputFlag(fs *pflag.FlagSet, args []string) {
	for i, word := range args {
		name, value, hasValue := strings.Cut(word, "=")
		if flag := lookupFlag(fs, name); flag != nil && flag.Name == "output" {
			setFlag(fs, flag, value, hasValue, args[i+1:])
		}
	}
}

// lookupFlag is the flag that a word such as --output or -o names, or nil.
func lookupFlag(fs *pflag.FlagSet, word string) *pflag.Flag {
	name := strings.TrimLeft(word, "-")
	switch len(word) - len(name) {
	case 1:
		if len(name) == 1 {
			return fs.ShorthandLookup(name)
		}
	case 2:
		return fs.Lookup(name)
	}
	return nil
}

// coerce converts a word to the type that the schema names. A word that does not fit stays text, which validation
// then reports.
func coerce(p item.Parameter, word string) any {
	switch p.Type {
	case "integer", "number":
		if n, ok := item.Number(word); ok {
			return n
		}
	case "boolean":
		switch word {
		case "true", "1", "yes", "on":
			return true
		case "false", "0", "no", "off":
			return false
		}
	case "array":
		if list, ok := decodeJSON(word).([]any); ok {
			return list
		}
		return []any{coerce(item.Parameter{Type: p.Items}, word)}
	case "object":
		if object, ok := decodeJSON(word).(map[string]any); ok {
			return object
		}
	case "null":
		if word == "null" {
			return nil
		}
	}
	return word
}

// decodeJSON is nil for a text that is not JSON, or that would change when it is read.
func decodeJSON(text string) any {
	if !item.Lossless([]byte(text)) {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return nil
	}
	return v
}
