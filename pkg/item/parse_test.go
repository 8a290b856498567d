package item

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Files of testdata/equivalent say the same in every language.
func TestParseMetadataEquivalent(t *testing.T) {
	text := func(s ...string) []string { return s }
	want := &Metadata{
		Version: "1.2.3", ToolType: "python", Category: "demo/tools", Description: "Counts words",
		ExecutorID: "rye/core/runtimes/python/script", ExecutorDeclared: true,
		ExecutionOwner: "callee", NativeAsync: true,
		AllowedThreads: text("inline"), AllowedTargets: text("local", "remote"),
		ConfigSchema: object("type", "object", "properties",
			object("path", object("type", "string"), "limit", object("type", "integer", "default", int64(10))),
			"required", list("path")),
		EnvConfig: &EnvConfig{
			Interpreter: &Interpreter{
				Type: "local_binary", Var: "RYE_PYTHON", Binary: "python3", Candidates: text("python"),
				SearchPaths: text(".venv/bin"), SearchRoots: text("{anchor_path}"), ResolveCmd: []string{}, Fallback: "python3",
			},
			Env:  object("Z", "1", "A", "${Z:-x}", "N", int64(8080), "RATIO", 0.5, "ON", true),
			Pass: text("GITHUB_TOKEN"),
		},
		Config:        object("command", "${RYE_PYTHON}", "args", list("{tool_path}", "--limit", "3"), "timeout", int64(300)),
		ConfigResolve: []ConfigSpec{{"demo/words.yaml", "first_match"}, {"demo/more.yaml", "deep_merge"}},
		ConfigByPath:  true,
		Anchor: &Anchor{
			Enabled: true, Mode: "always", MarkersAny: text("pyproject.toml"), Root: "tool_parent", Lib: "lib", Cwd: "{anchor_path}",
			EnvPaths: []EnvPath{
				{Name: "PYTHONPATH", Prepend: text("{anchor_path}", "{runtime_lib}")}, {Name: "PATH", Append: text("bin")},
			},
		},
		VerifyDeps: &VerifyDeps{Enabled: true, Scope: "tool_dir", Extensions: text(".py"), ExcludeDirs: text("x")},
		Inputs:     text("text", "flags"), Outputs: text("count", "words"),
		ChildConstraints: map[string]VersionRange{"rye/bash": {"1.0.0", "2.0.0"}, "rye/python": {}},
	}
	files, err := filepath.Glob("testdata/equivalent/tool.*")
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Ext(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ParseMetadata(Tool, file, data)
			if err != nil {
				t.Fatal(err)
			}
			if issues := Validate(Ref{Tool, "demo/tools/tool"}, file, got); len(issues) > 0 {
				t.Errorf("not valid: %v", issues)
			}
			got.Document = nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %s\nwant %s", marshal(t, got), marshal(t, want))
			}
		})
	}
}

func TestParseMetadataDefaults(t *testing.T) {
	m, err := ParseMetadata(Tool, "x.yaml", []byte("anchor: {inactive_env: {A: 1}}\nverify_deps: {}\nenv_config: {}\nexecutor_id:\nconfig_resolve: {path: a/b.yaml}\nversion: ~"))
	if err != nil {
		t.Fatal(err)
	}
	m.Document = nil
	want := &Metadata{
		ExecutorDeclared: true, ExecutionOwner: "engine", EnvConfig: &EnvConfig{},
		ConfigResolve: []ConfigSpec{{"a/b.yaml", "deep_merge"}},
		Anchor:        &Anchor{Mode: "auto", Root: "tool_dir", InactiveEnv: object("A", int64(1))},
		VerifyDeps: &VerifyDeps{
			Scope: "anchor", Recursive: true, ExcludeDirs: []string{"__pycache__", ".venv", "node_modules", ".git"},
		},
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got %s, want %s", marshal(t, m), marshal(t, want))
	}
}

func TestParseMetadataNames(t *testing.T) {
	tests := []struct {
		name, file, source string
		get                func(*Metadata) any
		want               any
	}{
		{"dunder beats bare", "x.py", "version = '2'\n__version__ = '1'", func(m *Metadata) any { return m.Version }, "1"},
		{"upper case", "x.js", "const VERSION = '1'", func(m *Metadata) any { return m.Version }, "1"},
		{"lower case", "x.py", "config_schema = {}", func(m *Metadata) any { return m.ConfigSchema != nil }, true},
		{"top beats data", "x.yaml", "data: {version: '2'}\nversion: '1'", func(m *Metadata) any { return m.Version }, "1"},
		{"null at the top beats data", "x.yaml", "data: {executor_id: a}\nexecutor_id:", func(m *Metadata) any { return m.ExecutorID }, ""},
		{"null in data", "x.json", `{"data": {"executor_id": null}}`, func(m *Metadata) any { return m.ExecutorDeclared }, true},
		{"not declared", "x.py", "A = 1", func(m *Metadata) any { return m.ExecutorDeclared }, false},
		{"null in Python", "x.py", "__executor_id__ = None", func(m *Metadata) any { return m.ExecutorDeclared }, true},
		{"tool description", "x.yaml", "description: b\ntool_description: a", func(m *Metadata) any { return m.Description }, "a"},
		{"docstring", "x.py", "'''\nWhat it does.\n\nMore.\n'''", func(m *Metadata) any { return m.Description }, "What it does."},
		{"a program's own words", "x.py", "config = load()\nversion = f()\ninputs = a.b", func(m *Metadata) any { return m.Config == nil }, true},
		{"unknown type of file", "x.xyz", "\xff", func(m *Metadata) any { return m.Version }, ""},
	}
	for _, tt := range tests {
		m, err := ParseMetadata(Tool, tt.file, []byte(tt.source))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if got := tt.get(m); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// In other kinds the words of a tool are data.
func TestParseMetadataKinds(t *testing.T) {
	m, err := ParseMetadata(Config, "x.yaml", []byte("version: 1.0.0\nanchor: 3\ninputs: x\nexecutor_id: ''\nconfig: []"))
	if err != nil || m.Version != "1.0.0" || m.ExecutorDeclared {
		t.Errorf("config: %+v, %v", m, err)
	}
	const both = "```yaml\nversion: 1.0.0\n```\n```xml\n<directive version=\"2.0.0\"/>\n```\nBody"
	m, err = ParseMetadata(Directive, "x.md", []byte(both))
	if err != nil || m.Version != "2.0.0" || m.Document.Body != "Body" {
		t.Errorf("directive: %+v, %v", m, err)
	}
	m, err = ParseMetadata(Knowledge, "x.md", []byte(both))
	if err != nil || m.Version != "1.0.0" {
		t.Errorf("knowledge: %+v, %v", m, err)
	}
	m, err = ParseMetadata(Knowledge, "x.yaml", []byte("version: 3.0.0"))
	if err != nil || m.Version != "3.0.0" {
		t.Errorf("knowledge in YAML: %+v, %v", m, err)
	}
}

func TestParseMetadataErrors(t *testing.T) {
	tests := []struct {
		kind         Kind
		file, source string
		pos          Position
		message      string
	}{
		{Tool, "x.yaml", "a: 1\nversion: 1.0", Position{2, 10}, "version must be a string"},
		{Tool, "x.py", "__version__ = 1", Position{1, 15}, "__version__ must be a string"},
		{Tool, "x.py", "import x\nCONFIG_SCHEMA = x.y", Position{2, 17}, "CONFIG_SCHEMA must be a literal: rye reads it without running the file"},
		{Tool, "x.ts", "const anchor = f()", Position{1, 16}, "anchor must be a literal: rye reads it without running the file"},
		{Tool, "x.js", "export const __executor_id__ = RUNTIME", Position{1, 32}, "__executor_id__ must be a literal: rye reads it without running the file"},
		{Tool, "x.yaml", "executor_id: ''", Position{1, 14}, "executor_id is empty: name the runtime that runs this tool, or write null for the end of a chain"},
		{Tool, "x.yaml", "executor_id: 3", Position{1, 14}, "executor_id must be a string, or null for the end of a chain"},
		{Tool, "x.yaml", "executor_id: ../x", Position{1, 14}, `executor_id is not an item id: the item id "../x" holds "..": an id cannot leave its folder`},
		{Tool, "x.json", `{"data": {"tool_type": []}}`, Position{1, 10}, "data.tool_type must be a string"},
		{Tool, "x.toml", "native_async = 'yes'", Position{1, 16}, "native_async must be true or false"},
		{Tool, "x.yaml", "execution_owner: me", Position{1, 18}, "execution_owner must be one of engine, callee"},
		{Tool, "x.yaml", "allowed_threads: inline", Position{1, 18}, "allowed_threads must be a list of strings"},
		{Tool, "x.yaml", "config_schema: []", Position{1, 16}, "config_schema must be a map"},
		{Tool, "x.yaml", "env_config:\n  interpreter: {search_paths: bin}", Position{2, 3}, "env_config.interpreter.search_paths must be a list of strings"},
		{Tool, "x.yaml", "env_config: {interpreter: {search_paths: [1]}}", Position{1, 13}, "env_config.interpreter.search_paths must be a list of strings"},
		{Tool, "x.py", "ENV_CONFIG = {'interpreter': {'type': 'magic'}}", Position{1, 14}, "ENV_CONFIG.interpreter.type must be one of local_binary, system_binary, command"},
		{Tool, "x.yaml", "env_config: {env: {A: [1]}}", Position{1, 13}, "env_config.env.A must be a string, a number or a boolean"},
		{Tool, "x.yaml", "env_config: {env: {A=B: x}}", Position{1, 13}, `env_config.env holds "A=B", which cannot be the name of an environment variable`},
		{Tool, "x.yaml", "env_config: {env: {\"A\\e[1m\": []}}", Position{1, 13}, `env_config.env holds "A\x1b[1m", which cannot be the name of an environment variable`},
		{Tool, "x.yaml", "env_config: {pass: ['']}", Position{1, 13}, `env_config.pass holds "", which cannot be the name of an environment variable`},
		{Tool, "x.yaml", "config_resolve: a.yaml", Position{1, 17}, "config_resolve must be a map"},
		{Tool, "x.yaml", "config_resolve: [a.yaml]", Position{1, 17}, "config_resolve must be a map with a path, or a list of such maps"},
		{Tool, "x.yaml", "config_resolve: {path: a, mode: union}", Position{1, 17}, "config_resolve.mode must be one of deep_merge, first_match"},
		{Tool, "x.yaml", "config_resolve: [{path: a}, {path: ../a}]", Position{1, 17}, `config_resolve[1].path must be a clean path below .ai/config, as in "agent/agent.yaml", not "../a"`},
		{Tool, "x.yaml", "config_resolve: {path: /a}", Position{1, 17}, `config_resolve.path must be a clean path below .ai/config, as in "agent/agent.yaml", not "/a"`},
		{Tool, "x.yaml", "config_resolve: {mode: first_match}", Position{1, 17}, `config_resolve.path must be a clean path below .ai/config, as in "agent/agent.yaml", not ""`},
		{Tool, "x.yaml", "anchor: {mode: maybe}", Position{1, 9}, "anchor.mode must be one of auto, always, never"},
		{Tool, "x.yaml", "anchor: {root: /}", Position{1, 9}, "anchor.root must be one of tool_dir, tool_parent, project_path"},
		{Tool, "x.yaml", "anchor: {env_paths: {P: {prepend: x}}}", Position{1, 9}, "anchor.env_paths.P.prepend must be a list of strings"},
		{Tool, "x.yaml", "anchor: {inactive_env: {A: []}}", Position{1, 9}, "anchor.inactive_env.A must be a string, a number or a boolean"},
		{Tool, "x.yaml", "verify_deps: {scope: all}", Position{1, 14}, "verify_deps.scope must be one of anchor, tool_dir, tool_siblings, tool_file"},
		{Tool, "x.yaml", "verify_deps: {recursive: 1}", Position{1, 14}, "verify_deps.recursive must be true or false"},
		{Tool, "x.yaml", "inputs: x", Position{1, 9}, "inputs must be a list of names, a list of maps with a name, or a map by name"},
		{Tool, "x.yaml", "outputs: [{type: string}]", Position{1, 10}, "outputs must be a list of names, a list of maps with a name, or a map by name"},
		{Tool, "x.yaml", "child_constraints: {a: {min_version: 1.0}}", Position{1, 20}, "child_constraints.a.min_version must be a string"},
		{Tool, "x.yaml", "child_constraints: {a: 1.0.0}", Position{1, 20}, "child_constraints.a must be a map"},
		{Tool, "x.yaml", "child_constraints: {../a: {}}", Position{1, 20}, `child_constraints has a key that is not an item id: the item id "../a" holds "..": an id cannot leave its folder`},
		{Tool, "x.yaml", "a: [", Position{1, 1}, "did not find expected node content"},
		{Directive, "x.md", "# D\n", Position{1, 1}, "No XML code block found"},
		{Directive, "x.md", "---\na: 1\n---\n", Position{1, 1}, "No XML code block found"},
		{Knowledge, "x.md", "# K\n", Position{1, 1}, "No metadata found. Knowledge entries require a ```yaml fenced code block with name, title, version, and entry_type fields."},
		{Knowledge, "x.md", "---\na: 1\n---\n", Position{1, 1}, frontMatterMessage},
		{Knowledge, "x.md", "# K\n```yaml\ncategory: [a]\n```\n", Position{3, 11}, "category must be a string"},
		{Config, "x.toml", "version = 1", Position{1, 11}, "version must be a string"},
	}
	for _, tt := range tests {
		m, err := ParseMetadata(tt.kind, tt.file, []byte(tt.source))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || m != nil {
			t.Errorf("%s: got %v, %v", tt.source, m, err)
			continue
		}
		if syntax.Path != tt.file || syntax.Pos != tt.pos || syntax.Message != tt.message {
			t.Errorf("%s: got %s %v %q, want %v %q", tt.source, syntax.Path, syntax.Pos, syntax.Message, tt.pos, tt.message)
		}
	}
}

// Whatever a file says, the answer is metadata or a syntax error with the file's name, and messages are safe to print.
func FuzzParseMetadata(f *testing.F) {
	f.Add("x.yaml", []byte("version: 1.0.0\nenv_config: {env: {A: 1}, interpreter: {type: command}}\nexecutor_id: a/b"))
	f.Add("x.yaml", []byte("config_resolve: [{path: a, mode: \"\\e\"}]\ninputs: [{name: 1}]\n\"\\u202e\": 1"))
	f.Add("x.py", []byte("__version__ = '1.0.0'\nCONFIG = f()"))
	f.Add("x.js", []byte("exports.anchor = {env_paths: {A: {}}}\nexports.child_constraints = {a: 1}"))
	f.Add("x.json", []byte(`{"config_schema": {"type": "object", "required": ["a", 1], "properties": []}}`))
	f.Add("x.toml", []byte("[data]\nversion = 1"))
	f.Add("x.md", []byte("```xml\n<directive version='1'><description>a</description></directive>\n```"))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		for _, kind := range Kinds() {
			m, err := ParseMetadata(kind, file, data)
			var syntax *SyntaxError
			switch {
			case err == nil && m != nil && m.Document != nil:
				for _, issue := range Validate(Ref{kind, "a/b"}, file, m) {
					checkPrintable(t, issue.Message)
				}
			case m == nil && errors.As(err, &syntax) && syntax.Path == file && syntax.Pos.Line > 0:
				checkPrintable(t, syntax.Message)
			default:
				t.Fatalf("got %v, %v", m, err)
			}
		}
	})
}

func checkPrintable(t *testing.T, message string) {
	t.Helper()
	if i := strings.IndexFunc(message, func(r rune) bool { return r < ' ' || r == 0x7f || isInvisible(r) }); i >= 0 {
		t.Fatalf("%q steers the terminal", message)
	}
}
