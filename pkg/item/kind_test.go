package item

import (
	"path"
	"testing"
)

func TestParseKind(t *testing.T) {
	for _, k := range Kinds() {
		for _, name := range []string{string(k), k.Dir()} {
			if got, err := ParseKind(name); err != nil || got != k {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		}
		if len(k.Extensions()) == 0 {
			t.Errorf("%s has no extensions", k)
		}
		for _, ext := range k.Extensions() {
			if !k.HasExtension(ext) || readers[ext] == nil {
				t.Errorf("%s files of %s items cannot be read", ext, k)
			}
		}
	}
	for _, name := range []string{"", "Tool", "configs", "dependency"} {
		if k, err := ParseKind(name); err == nil || TypeOf(err) != TypeUsage {
			t.Errorf("%q: got %q, %v", name, k, err)
		}
	}
	if Dependency.Dir() != "" || Dependency.Extensions() != nil {
		t.Error("a dependency cannot be named by a reference")
	}
}

func TestKindTitle(t *testing.T) {
	for k, want := range map[Kind]string{"": "Item", Tool: "Tool", Knowledge: "Knowledge"} {
		if got := k.Title(); got != want {
			t.Errorf("%q: got %q", k, got)
		}
	}
}

func TestSplitPath(t *testing.T) {
	tests := []struct {
		path string
		kind Kind
		rest string
	}{
		{"tools/my/x.py", Tool, "my/x.py"}, {"config/a.yaml", Config, "a.yaml"},
		{"tools/", "", ""}, {"tools", "", ""}, {"tool/x.py", "", ""}, {"state/x", "", ""}, {"", "", ""}, {"/tools/x", "", ""},
	}
	for _, tt := range tests {
		kind, rest, ok := SplitPath(tt.path)
		if kind != tt.kind || rest != tt.rest || ok != (tt.kind != "") {
			t.Errorf("%q: got %q, %q, %v", tt.path, kind, rest, ok)
		}
		if ok && path.Join(kind.Dir(), rest) != tt.path {
			t.Errorf("%q does not come back", tt.path)
		}
	}
}
