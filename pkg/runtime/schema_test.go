package runtime_test

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
)

// schemaTool is the metadata of a tool with this config_schema.
func schemaTool(t *testing.T, schema string) *item.Metadata {
	t.Helper()
	meta, err := item.ParseMetadata(item.Tool, "x.yaml", []byte(ryetest.YAML("r", "config_schema: "+schema)))
	if err != nil {
		t.Fatal(err)
	}
	return meta
}

// check validates parameters that are given as JSON.
func check(t *testing.T, schema, params string) (map[string]any, error) {
	t.Helper()
	given, err := item.DecodeParameters([]byte(params))
	if err != nil {
		t.Fatal(err)
	}
	before := marshal(t, given)
	out, err := runtime.CheckParams(item.Ref{Kind: item.Tool, ID: "x"}, schemaTool(t, schema), given)
	if after := marshal(t, given); after != before {
		t.Errorf("%s: the caller's map became %s", params, after)
	}
	return out, err
}

const people = `{type: object, required: [name], properties: {name: {type: string}, age: {type: integer}, size: {type: number},
  admin: {type: boolean}, tags: {type: array}, extra: {type: object}, colour: {type: string, enum: [red, green]},
  level: {type: integer, default: 3}, any: {}}}`

func TestCheckParamsAccepts(t *testing.T) {
	for params, want := range map[string]string{
		`{"name":"Ada"}`: `{"level":3,"name":"Ada"}`,
		`{"name":"","age":-1,"size":1.5,"admin":false,"tags":[],"extra":{},"colour":"red","level":4,"any":null}`: `{"admin":false,"age":-1,"any":null,"colour":"red","extra":{},"level":4,"name":"","size":1.5,"tags":[]}`,
		`{"name":"Ada","age":12345678901234567890}`:                                                              `{"age":12345678901234567890,"level":3,"name":"Ada"}`,
		`{"name":"Ada","age":2.0,"size":3}`:                                                                      `{"age":2.0,"level":3,"name":"Ada","size":3}`,
		`{"name":"Ada","timeout":5,"cwd":"x","env":{"A":"1"}}`:                                                   `{"cwd":"x","env":{"A":"1"},"level":3,"name":"Ada","timeout":5}`,
		`{"name":"Ada","extra":{"n":98765432109876543210},"tags":[1]}`:                                           `{"extra":{"n":98765432109876543210},"level":3,"name":"Ada","tags":[1]}`,
	} {
		out, err := check(t, people, params)
		if err != nil {
			t.Errorf("%s: %v", params, err)
		} else if got := marshal(t, out); got != want {
			t.Errorf("%s: got %s, want %s", params, got, want)
		}
	}
}

func TestCheckParamsRefuses(t *testing.T) {
	for params, message := range map[string]string{
		`{}`:                          `missing required parameter: name`,
		`{"nmae":"Ada"}`:              `unknown parameter "nmae": did you mean "name"?; missing required parameter: name`,
		`{"name":"Ada","zzzzzz":1}`:   `unknown parameter "zzzzzz" (valid: name, age, size, admin, tags, extra, colour, level, any)`,
		`{"name":5}`:                  `parameter "name" must be a string, got 5`,
		`{"name":null}`:               `parameter "name" must be a string, got null`,
		`{"name":"Ada","age":"5"}`:    `parameter "age" must be an integer, got "5"`,
		`{"name":"Ada","age":1.5}`:    `parameter "age" must be an integer, got 1.5`,
		`{"name":"Ada","age":true}`:   `parameter "age" must be an integer, got true`,
		`{"name":"Ada","size":"big"}`: `parameter "size" must be a number, got "big"`,
		`{"name":"Ada","admin":1}`:    `parameter "admin" must be a boolean, got 1`,
		`{"name":"Ada","tags":"a"}`:   `parameter "tags" must be an array, got "a"`,
		`{"name":"Ada","extra":[]}`:   `parameter "extra" must be an object, got []`,
		`{"name":"Ada","colour":"b"}`: `parameter "colour" must be one of red, green, got "b"`,
		`{"age":"x","oops":1}`:        `unknown parameter "oops" (valid: name, age, size, admin, tags, extra, colour, level, any); missing required parameter: name; parameter "age" must be an integer, got "x"`,
	} {
		_, err := check(t, people, params)
		if err == nil || err.Error() != message || item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%s: got %v, want %s", params, err, message)
		} else if hints := item.HintsOf(err); len(hints) != 1 || hints[0] != "rye show tool:x" {
			t.Errorf("%s: hints %q", params, hints)
		}
	}
}

// What the checks with words of their own do not cover is the schema library's.
func TestCheckParamsNested(t *testing.T) {
	const nested = `{type: object, properties: {
	  count: {type: integer, minimum: 1, maximum: 9}, name: {type: string, pattern: "^[a-z]+$"},
	  list: {type: array, items: {type: object, required: [id], properties: {id: {type: integer}}}, maxItems: 2},
	  either: {type: [string, "null"]}, free: {type: object}}}`
	for params, issue := range map[string]string{
		`{"count":9,"name":"a","list":[{"id":1}],"either":null,"free":{"a":1.5}}`: "",
		`{"count":1,"list":[],"either":"x"}`:                                      "",
		`{"count":0}`:                                                             "minimum",
		`{"count":10}`:                                                            "maximum",
		`{"name":"A"}`:                                                            "pattern",
		`{"list":[{}]}`:                                                           "required",
		`{"list":[{"id":"1"}]}`:                                                   "type",
		`{"list":[{"id":1},{"id":2},{"id":3}]}`:                                   "maxItems",
		`{"either":1}`:                                                            "type",
		`{"count":4,"timeout":3}`:                                                 "", // an engine key is not the schema's
	} {
		_, err := check(t, nested, params)
		switch {
		case issue == "" && err != nil:
			t.Errorf("%s: %v", params, err)
		case issue != "" && (item.TypeOf(err) != item.TypeUsage || !strings.Contains(err.Error(), issue)):
			t.Errorf("%s: got %v, want something about %s", params, err, issue)
		}
	}
}

func TestCheckParamsOfOpenTools(t *testing.T) {
	for _, schema := range []string{"null", "{}", "{type: object}", "{type: object, properties: {a: {}}, additionalProperties: true}"} {
		if out, err := check(t, schema, `{"whatever":1}`); err != nil || marshal(t, out) != `{"whatever":1}` {
			t.Errorf("%s: got %v, %v", schema, out, err)
		}
	}
	_, err := check(t, "{type: object, properties: {a: {}}, additionalProperties: {type: integer}}", `{"b":"x"}`)
	if item.TypeOf(err) != item.TypeUsage {
		t.Errorf("a schema of additional properties: %v", err)
	}
}

func TestCheckParamsOfABrokenSchema(t *testing.T) {
	_, err := check(t, "{type: object, properties: {a: {pattern: '('}}}", `{"a":"x"}`)
	if err == nil || !strings.Contains(err.Error(), "config_schema is not a JSON Schema") || item.TypeOf(err) != item.TypeChain {
		t.Errorf("got %s error %v", item.TypeOf(err), err)
	}
}

// A default is a copy: what one call does with it is not the next one's.
func TestDefaultsAreCopied(t *testing.T) {
	meta := schemaTool(t, "{type: object, properties: {o: {default: {a: [1]}}}}")
	ref := item.Ref{Kind: item.Tool, ID: "x"}
	first, err := runtime.CheckParams(ref, meta, nil)
	if err != nil {
		t.Fatal(err)
	}
	first["o"].(map[string]any)["a"] = "changed"
	second, err := runtime.CheckParams(ref, meta, nil)
	if err != nil || marshal(t, second) != `{"o":{"a":[1]}}` {
		t.Errorf("got %v, %v", second, err)
	}
}
