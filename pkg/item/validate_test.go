package item

import (
	"maps"
	"testing"
)

func TestValidate(t *testing.T) {
	const tool = "version: 1.0.0\ntool_type: python\nexecutor_id: a/b\ncategory: c/d\ndescription: x\n"
	directive := func(attributes, metadata string) string {
		return "```xml\n<directive " + attributes + ">\n<metadata>" + metadata + "</metadata>\n</directive>\n```\n"
	}
	tests := []struct {
		name, ref, file, source string
		want                    map[string]Position
	}{
		{"tool", "tool:c/d/e", "e.yaml", tool, nil},
		{"tool without anything", "tool:c/d/e", "e.yaml", "", map[string]Position{
			"Missing required field: tool_type":   {1, 1},
			"Missing required field: version":     {1, 1},
			"Missing required field: description": {1, 1},
			"Missing required field: category":    {1, 1},
			"Missing required field: executor_id": {1, 1},
		}},
		{"tool at the top", "tool:e", "e.sh", "# __version__ = '1.0.0'\n# __tool_type__ = 'x'\n# __executor_id__ = 'a'\n# __tool_description__ = 'y'\n", nil},
		{"tool elsewhere", "tool:d/c/e", "e.yaml", "name: f\n" + tool, map[string]Position{
			"Field 'category' value 'c/d' must match path category 'd/c'": {5, 11},
		}},
		{"version", "tool:c/d/e", "e.yaml", tool + "__version__: 1.0.0-beta\n", map[string]Position{
			"Field 'version' must be semver format (X.Y.Z), got '1.0.0-beta'": {6, 14},
		}},
		{"terminal", "tool:e", "e.yaml", "version: 1.0.0\ntool_type: primitive\nexecutor_id:\ndescription: x\ncategory: ''\n", nil},
		{"runnable without a runtime", "tool:e", "e.py", "__version__ = '1.0.0'\n__tool_type__ = 'python'\n__executor_id__ = None\n'x'\n__tool_description__ = 'y'", map[string]Position{
			"Field 'executor_id' is null, but a tool of type 'python' needs a runtime, as in 'rye/core/runtimes/python/script'": {3, 19},
		}},
		{"schema", "tool:c/d/e", "e.yaml", tool + "config_schema: {properties: [], required: [a, 1]}\n", map[string]Position{
			"Field 'config_schema.type' must be 'object': parameters are a map":                       {6, 16},
			"Field 'config_schema.properties' must be an object, got array":                           {6, 16},
			"Field 'config_schema.required[0]' names 'a', which is not in 'config_schema.properties'": {6, 16},
			"Field 'config_schema.required[1]' must be a string, got integer":                         {6, 16},
		}},
		{"required is no list", "tool:c/d/e", "e.yaml", tool + "config_schema: {type: object, required: true}\n", map[string]Position{
			"Field 'config_schema.required' must be an array, got boolean": {6, 16},
		}},
		{"good schema", "tool:c/d/e", "e.yaml", tool + "config_schema: {type: object, properties: {a: {}}, required: [a]}\n", nil},
		{"directive", "directive:a/my_task", "my_task.md", directive(`name="my_task" version="1.0.0"`,
			"<description>x</description><category>a</category><author>me</author>"), nil},
		{"empty directive", "directive:a/my_task", "my_task.md", directive("", "<category/>"), map[string]Position{
			"Missing required field: name":                           {1, 1},
			"Missing required field: version":                        {1, 1},
			"Missing required field: description":                    {1, 1},
			"Missing required field: author":                         {1, 1},
			"Field 'category' value '' must match path category 'a'": {3, 11},
		}},
		{"directive name", "directive:My-Task", "My-Task.md", directive(`name="My-Task2" version="1.0.0"`,
			"<description>x</description><author>me</author>"), map[string]Position{
			"Field 'name' value 'My-Task2' must match filename 'My-Task'": {2, 1},
			"Field 'name' must be snake_case, got 'My-Task2'":             {2, 1},
		}},
		{"knowledge", "knowledge:a/b", "b.md", "```yaml\nname: b\ntitle: B\nversion: 1.0.0\nentry_type: note\n```\n", nil},
		{"bad knowledge", "knowledge:a/b", "b.yaml", "name: c\ntitle: [x]\nversion: v1\ncategory: d\n", map[string]Position{
			"Field 'name' value 'c' must match filename 'b'":          {1, 7},
			"Field 'title' must be a string, got array":               {2, 8},
			"Field 'version' must be semver format (X.Y.Z), got 'v1'": {3, 10},
			"Missing required field: entry_type":                      {1, 1},
			"Field 'category' value 'd' must match path category 'a'": {4, 11},
		}},
		{"config", "config:agent/x", "x.toml", "version = '1.0.0'\ncategory = 'agent'\n", nil},
		{"bad config", "config:agent/x", "x.yaml", "name: 3\n", map[string]Position{
			"Field 'name' must be a string, got integer": {1, 7},
			"Missing required field: version":            {1, 1},
			"Missing required field: category":           {1, 1},
		}},
		{"named config", "config:agent/x.y", "x.y.yaml", "name: x\nversion: 1.0.0\ncategory: agent\n", map[string]Position{
			"Field 'name' value 'x' must match filename 'x.y'": {1, 7},
		}},
		{"safe to print", "tool:c/d/e", "e.yaml", tool + "VERSION: x\n__category__: \"\\e[31m\\u202e\"\n", map[string]Position{
			"Field 'category' value '·[31m·' must match path category 'c/d'": {7, 15},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ref, err := ParseRef(tt.ref)
			if err != nil {
				t.Fatal(err)
			}
			m, err := ParseMetadata(ref.Kind, tt.file, []byte(tt.source))
			if err != nil {
				t.Fatal(err)
			}
			issues := Validate(ref, "below/"+tt.file, m)
			got := map[string]Position{}
			for _, issue := range issues {
				got[issue.Message] = issue.Pos
			}
			if !maps.Equal(got, tt.want) || len(issues) != len(tt.want) {
				t.Errorf("got  %v\nwant %v", issues, tt.want)
			}
		})
	}
}

// Metadata that was made by a program has no document.
func TestValidateWithoutDocument(t *testing.T) {
	m := &Metadata{ToolType: "x", Version: "1.0.0", Description: "y", ExecutorID: "a", ExecutorDeclared: true}
	if issues := Validate(Ref{Tool, "a"}, "a.py", m); len(issues) > 0 {
		t.Errorf("got %v", issues)
	}
}

func TestIsItem(t *testing.T) {
	tests := []struct {
		kind Kind
		m    Metadata
		want bool
	}{
		{Tool, Metadata{}, false},
		{Tool, Metadata{Version: "1.0.0", Category: "a"}, false},
		{Tool, Metadata{ToolType: "python"}, true},
		{Tool, Metadata{ExecutorDeclared: true}, true},
		{Directive, Metadata{}, true}, {Knowledge, Metadata{}, true}, {Config, Metadata{}, true},
	}
	for _, tt := range tests {
		if got := IsItem(tt.kind, &tt.m); got != tt.want {
			t.Errorf("%s %+v: got %v", tt.kind, tt.m, got)
		}
	}
}
