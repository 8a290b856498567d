package runtime

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// contextValues are the template variables that rye itself sets (seed 000's table). They are computed when a template
// asks for them, because a path of a system item costs a file in the cache.
type contextValues struct {
	values map[string]func() (string, error)
	err    error // the first failure; the lookup that met it gave ""
}

func contextOf(in Input) *contextValues {
	tool := in.Chain.Tool()
	toolPath := func() (string, error) {
		if tool.Primitive() {
			return "", nil
		}
		return tool.Place.Space.Materialise(tool.Place.Rel)
	}
	toolDir := func() (string, error) {
		return chain.Folder{Space: tool.Place.Space, Rel: path.Dir(tool.Place.Rel)}.Path()
	}
	return &contextValues{values: map[string]func() (string, error){
		"tool_path":    toolPath,
		"tool_ref":     func() (string, error) { return in.Chain.Ref.String(), nil },
		"tool_dir":     toolDir,
		"tool_parent":  func() (string, error) { dir, err := toolDir(); return filepath.Dir(dir), err },
		"anchor_path":  in.Anchor.Dir.Path,
		"runtime_lib":  in.Anchor.Lib.Path,
		"project_path": func() (string, error) { return in.Project, nil },
		"user_space":   func() (string, error) { return in.User, nil },
		"system_space": in.System,
		"cache_path":   func() (string, error) { return in.Cache, nil },
	}}
}

func (c *contextValues) lookup(name string) (any, bool) {
	value, ok := c.values[name]
	if !ok {
		return nil, false
	}
	text, err := value()
	if err != nil && c.err == nil {
		c.err = err
	}
	return text, true
}

// text fills in the variables of one env_config or anchor string.
func (c *contextValues) text(s string) string {
	return template.Values{Param: c.lookup}.Text(s)
}

// projectFolder resolves a folder and refuses one outside the project, also through symbolic links.
func projectFolder(project, dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", item.Usagef("Working directory not found: %s", dir)
	}
	root, err := filepath.EvalSymlinks(project)
	if err != nil {
		return "", item.Usagef("Project folder not found: %s", project)
	}
	if real != root && !inside(root, real) {
		return "", item.Errorf(item.TypePermission, "Working directory is outside the project workspace: %s", dir).
			Hint("name a folder below %s", project)
	}
	return real, nil
}

// inside reports whether path lies in dir, by whole path elements.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// dropUnset empties a template whose only placeholder has no value: `cwd: "{working_dir}"` without that parameter means
// no cwd, not a folder of that name.
func dropUnset(text string, param func(string, int) (any, bool)) string {
	names := template.Names(text)
	if len(names) == 1 && strings.TrimSpace(text) == "{"+names[0]+"}" {
		if _, known := param(names[0], 0); !known {
			return ""
		}
	}
	return text
}
