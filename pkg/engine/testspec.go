package engine

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// testSpec is a file of tests for one tool (spec/rye-core §9.4).
type testSpec struct {
	file  string   // as people see it
	path  string   // below the project
	tool  item.Ref // also of a spec that cannot be read, if that much could be
	tests []testCase
	err   error // why it cannot be run; it has no tests then

	refusal error // why it is not verified, when that does not matter because nothing runs
}

// testCase is one call of the tool, and what must hold of its result.
type testCase struct {
	name    string
	params  map[string]any
	tags    []string
	skip    string // why it does not run; "" when it does
	timeout time.Duration
	asserts []*assertion
}

// maxTestTimeout bounds `timeout`, whose unit is easily mistaken.
const maxTestTimeout = 24 * time.Hour

var testKeys = []string{"name", "params", "assert", "tags", "skip", "timeout", "description"}

// specReader reads the values of one file. Where they stand is only looked up for an error.
type specReader struct {
	file string
	src  []byte
}

func (r *specReader) fail(at []string, format string, args ...any) error {
	err := item.NewSyntaxError(r.src, item.NewYAMLTree(r.src).Position(at...), format, args...)
	err.Path = r.file
	return err
}

// readTestSpec reads a spec. An error comes with as much of the spec as was understood before it.
func readTestSpec(file string, src []byte) (*testSpec, error) {
	spec := &testSpec{file: file}
	doc, err := item.ReadDocument("spec.yaml", src)
	if syntax, ok := errors.AsType[*item.SyntaxError](err); ok {
		syntax.Path = file
	}
	if err != nil {
		return spec, err
	}
	r := &specReader{file, src}
	tool := doc.Values.String("tool")
	if tool == "" {
		return spec, r.fail([]string{"tool"}, "Test spec missing 'tool' field")
	}
	ref, err := item.ParseRef(tool)
	if err != nil {
		return spec, r.fail([]string{"tool"}, "%s", err)
	}
	if ref.Kind != "" && ref.Kind != item.Tool {
		return spec, r.fail([]string{"tool"}, "%s is no tool: only tools can be tested", ref)
	}
	spec.tool = ref.With(item.Tool)
	list, _ := doc.Values.Get("tests")
	tests, ok := list.([]any)
	if !ok || len(tests) == 0 {
		return spec, r.fail([]string{"tests"}, "Test spec missing 'tests' list")
	}
	for i, t := range tests {
		test, err := r.test(t, []string{"tests", strconv.Itoa(i)})
		if err != nil {
			return spec, err
		}
		spec.tests = append(spec.tests, test)
	}
	return spec, nil
}

// test reads one test. A key that is not known would be an assertion that is never checked.
func (r *specReader) test(v any, at []string) (t testCase, err error) {
	fields, ok := v.(*item.Object)
	if !ok {
		return t, r.fail(at, "a test must be a mapping, as in '- name: it works'")
	}
	for key, v := range fields.All() {
		here := append(slices.Clone(at), key)
		switch key {
		case "name":
			t.name, _ = v.(string)
		case "params":
			t.params, err = r.params(v, here)
		case "assert":
			t.asserts, err = r.asserts(v, here)
		case "tags":
			t.tags, err = r.tags(v, here)
		case "skip":
			if t.skip, _ = v.(string); strings.TrimSpace(t.skip) == "" {
				err = r.fail(here, "'skip' must say why, as in skip: \"needs a network\"")
			}
		case "timeout":
			t.timeout, err = r.timeout(v, here)
		case "description":
		default:
			err = r.unknownKey(key, here)
		}
		if err != nil {
			return t, err
		}
	}
	if strings.TrimSpace(t.name) == "" {
		return t, r.fail(append(slices.Clone(at), "name"), "a test needs a 'name' that is text")
	}
	return t, nil
}

func (r *specReader) unknownKey(key string, at []string) error {
	if near := item.Suggest(key, testKeys); near != "" {
		return r.fail(at, "a test has no key %s: did you mean '%s'?", item.Quote(key), near)
	}
	return r.fail(at, "a test has no key %s (valid: %s)", item.Quote(key), strings.Join(testKeys, ", "))
}

func (r *specReader) params(v any, at []string) (map[string]any, error) {
	if v == nil {
		return nil, nil
	}
	params, ok := item.Plain(v).(map[string]any)
	if !ok {
		return nil, r.fail(at, "'params' must be a mapping")
	}
	return params, nil
}

func (r *specReader) asserts(v any, at []string) (asserts []*assertion, err error) {
	fields, ok := v.(*item.Object)
	if !ok && v != nil {
		return nil, r.fail(at, "'assert' must be a mapping, as in 'exit_code == 0: true'")
	}
	for key, expected := range fields.All() {
		a, err := newAssertion(key, expected)
		if err != nil {
			return nil, r.fail(append(slices.Clone(at), key), "%s", err)
		}
		asserts = append(asserts, a)
	}
	return asserts, nil
}

func (r *specReader) tags(v any, at []string) (tags []string, err error) {
	list, ok := v.([]any)
	for _, v := range list {
		tag, isText := v.(string)
		ok = ok && isText && tag != "" && !strings.Contains(tag, ",")
		tags = append(tags, tag)
	}
	if !ok {
		return nil, r.fail(at, "'tags' must be a list of words without commas")
	}
	return tags, nil
}

func (r *specReader) timeout(v any, at []string) (time.Duration, error) {
	seconds, ok := item.Float(v)
	if !ok || seconds <= 0 || seconds > maxTestTimeout.Seconds() {
		return 0, r.fail(at, "'timeout' must be a number of seconds, more than 0 and at most %.0f", maxTestTimeout.Seconds())
	}
	return max(time.Duration(seconds*float64(time.Second)), 1), nil
}
