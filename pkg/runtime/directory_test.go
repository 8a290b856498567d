package runtime_test

import (
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// Where a tool runs is its signed chain's to say; as soon as the caller has a part in it, it must be in the project.
func TestDirectory(t *testing.T) {
	const command = "command: /bin/sh"
	outside := t.TempDir()
	for name, c := range map[string]struct {
		cwd    string
		params map[string]any
		want   string // below the project; "" for the project itself, "outside" for that folder
		refuse item.ErrorType
	}{
		"default":                     {"", nil, "", ""},
		"the chain's own, outside":    {"cwd: " + outside, nil, "outside", ""},
		"the chain's own, relative":   {"cwd: sub", nil, "/sub", ""},
		"of rye's variables":          {`cwd: "{project_path}/sub"`, nil, "/sub", ""},
		"the caller's, inside":        {`cwd: "{where}"`, map[string]any{"where": "sub"}, "/sub", ""},
		"the caller's, not given":     {`cwd: "{where}"`, nil, "", ""},
		"the caller's, outside":       {`cwd: "{where}"`, map[string]any{"where": outside}, "", item.TypePermission},
		"the caller's, up":            {`cwd: "{where}"`, map[string]any{"where": "sub/../.."}, "", item.TypePermission},
		"the caller's, in a part":     {`cwd: "{project_path}/{where}"`, map[string]any{"where": "../.."}, "", item.TypePermission},
		"the caller's, through a key": {`cwd: "{key}", key: "{where}"`, map[string]any{"where": outside}, "", item.TypePermission},
		"the caller's, not there":     {`cwd: "{where}"`, map[string]any{"where": "nowhere"}, "", item.TypeUsage},
	} {
		t.Run(name, func(t *testing.T) {
			config := "config: {" + command
			if c.cwd != "" {
				config += ", " + c.cwd
			}
			w, in := yamlTool(t, config+"}")
			w.Project.Mkdir("sub")
			if c.refuse != "" {
				refusedPlan(t, in, c.params, c.refuse, "Working directory")
				return
			}
			want := w.Project.Base + c.want
			if c.want == "outside" {
				want = outside
			}
			if p := plan(t, in, c.params); p.Cwd != want {
				t.Errorf("cwd %s, want %s", p.Cwd, want)
			}
		})
	}
}
