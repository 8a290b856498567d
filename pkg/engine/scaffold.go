package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// Scaffolded is what Init made and found.
type Scaffolded struct {
	Project     string   `json:"project"`
	Created     []string `json:"created"`
	Existing    []string `json:"existing,omitempty"`
	Fingerprint string   `json:"fingerprint"`
	NewKey      bool     `json:"new_key"`
	FirstTool   string   `json:"first_tool"`
}

// firstTool is a tool that needs nothing but bash.
const firstTool = `#!/usr/bin/env bash
# __version__ = "1.0.0"
# __tool_type__ = "bash"
# __executor_id__ = "rye/core/runtimes/bash/bash"
# __category__ = ""
# __tool_description__ = "Greets someone: your first rye tool"
# CONFIG_SCHEMA = {
#   "type": "object",
#   "properties": {
#     "name": {"type": "string", "description": "Who to greet", "default": "world"}
#   }
# }

# Parameters arrive as RYE_PARAM_<NAME> and as JSON on standard input; $1 is the project folder.
echo "Hello, $RYE_PARAM_NAME!"
`

const gitignore = "/state/\n/cache/\n"

// Init prepares a project: folders, a .gitignore, a first tool, and a signing key of the user if there is none. Nothing
// that exists is changed.
func (e *Engine) Init() (*Scaffolded, error) {
	project := e.options.Project
	if _, err := e.spaces[0].FS(); err != nil {
		return nil, err
	}
	out := &Scaffolded{Project: project, Created: []string{}, FirstTool: "tool:hello"}
	for _, kind := range item.Kinds() {
		if err := out.dir(filepath.Join(project, space.Dir, kind.Dir())); err != nil {
			return nil, err
		}
	}
	if err := out.file(filepath.Join(project, space.Dir, ".gitignore"), gitignore); err != nil {
		return nil, err
	}
	tool := filepath.Join(project, space.Dir, item.Tool.Dir(), "hello.sh")
	_, statErr := os.Lstat(tool)
	if err := out.file(tool, firstTool); err != nil {
		return nil, err
	}
	if err := e.ensureKey(out); err != nil {
		return nil, err
	}
	if statErr == nil {
		return out, nil // someone else's hello is not ours to sign
	}
	report, err := e.Sign(SignRequest{Patterns: []string{"tool:hello"}, Source: e.spaces[0].Label})
	if err == nil && report.Failed > 0 {
		err = errors.New(report.Results[0].Error)
	}
	return out, err
}

func (e *Engine) ensureKey(out *Scaffolded) error {
	key, err := integrity.LoadKey(e.options.KeyDir)
	var failure *item.Error
	if errors.As(err, &failure) && failure.Type == item.TypeNotFound {
		key, err = integrity.GenerateKey(e.options.KeyDir, false)
		out.NewKey = err == nil
	}
	if err != nil {
		return err
	}
	out.Fingerprint = key.Public().Fingerprint()
	if _, err := e.trust.Lookup(key.Public().Fingerprint()); err == nil {
		return nil
	}
	trusted, err := e.trustKey(key.Public(), "local", "", space.User)
	if err == nil {
		out.Created = append(out.Created, trusted.Path)
	}
	return err
}

func (s *Scaffolded) dir(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		s.Existing = append(s.Existing, path)
		return nil
	}
	s.Created = append(s.Created, path)
	return os.MkdirAll(path, 0o755)
}

func (s *Scaffolded) file(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		s.Existing = append(s.Existing, path)
		return nil
	}
	if err != nil {
		return err
	}
	s.Created = append(s.Created, path)
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}
