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

// firstToolFile is where it stands, below `.ai`.
const firstToolFile = "tools/hello.sh"

const gitignore = "/state/\n/cache/\n"

// Init prepares a project: folders, a .gitignore, a first tool, and a signing key of the user if there is none. Nothing
// that exists is changed.
func (e *Engine) Init() (*Scaffolded, error) {
	if _, err := e.spaces[0].FS(); err != nil {
		return nil, err
	}
	out := &Scaffolded{Project: e.options.Project, Created: []string{}, FirstTool: "tool:hello"}
	if err := out.files(filepath.Join(out.Project, space.Dir)); err != nil {
		return nil, err
	}
	if err := e.ensureKey(out); err != nil {
		return nil, err
	}
	tool, err := os.ReadFile(filepath.Join(out.Project, space.Dir, firstToolFile))
	if err != nil || string(tool) != firstTool {
		return out, nil // someone else's hello is not ours to sign, nor one that is signed
	}
	report, err := e.Sign(SignRequest{Patterns: []string{"tool:hello"}, Source: e.spaces[0].Label})
	if err == nil && report.Failed > 0 {
		failed := report.Results[0]
		err = &item.Error{Type: failed.ErrorType, Message: failed.Error, Hints: failed.Hints}
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

// files makes what is missing in the folder ai. A link that came with the project cannot lead out of it.
func (s *Scaffolded) files(ai string) error {
	if err := os.MkdirAll(ai, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(ai)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, kind := range item.Kinds() {
		if err := s.dir(root, kind.Dir()); err != nil {
			return err
		}
	}
	if err := s.file(root, ".gitignore", gitignore); err != nil {
		return err
	}
	return s.file(root, firstToolFile, firstTool)
}

func (s *Scaffolded) dir(root *os.Root, name string) error {
	path := filepath.Join(root.Name(), name)
	if info, err := root.Stat(name); err == nil && info.IsDir() {
		s.Existing = append(s.Existing, path)
		return nil
	}
	if err := root.MkdirAll(name, 0o755); err != nil {
		return err
	}
	s.Created = append(s.Created, path)
	return nil
}

func (s *Scaffolded) file(root *os.Root, name, content string) error {
	path := filepath.Join(root.Name(), filepath.FromSlash(name))
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		s.Existing = append(s.Existing, path)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name)) // half a file would count as one that exists
	}
	s.Created = append(s.Created, path)
	return nil
}
