package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/confine"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/runtime"
)

// mcpStart is everything that a session with a server is made from, by this process or by a keeper, who is told it.
type mcpStart struct {
	Server    *mcp.Server             // as it is written
	Variables map[string]mcp.Variable // what it asks for
	Env       []string                // of its process, beside what the configuration declares
	Project   string
	Binary    string // rye
	Version   string // of rye

	full   *mcp.Server // with the values of its variables
	grants *mcpGrants  // what the user has signed in to
}

// startMCP prepares a session. The server's variables come from the environment and the project's .env, as those of tools
// do; its process gets the minimal environment and what the configuration declares.
func (e *Engine) startMCP(s *mcpServer, env []string) (*mcpStart, error) {
	lookup, err := e.mcpVariables(env)
	if err != nil {
		return nil, err
	}
	start := &mcpStart{
		Server: s.Server, Variables: map[string]mcp.Variable{}, Env: serverEnv(env),
		Project: e.options.Project, Binary: e.options.Binary, Version: e.options.Version, grants: e.mcpGrants(),
	}
	for _, name := range s.Variables() {
		if v, ok := lookup(name); ok {
			start.Variables[name] = v
		}
	}
	return start, start.expand()
}

// serverEnv is the same wherever in the project a call is made: a server runs in a folder of its own.
func serverEnv(env []string) []string {
	env = slices.DeleteFunc(runtime.MinimalEnv(env), func(entry string) bool { return strings.HasPrefix(entry, "PWD=") })
	slices.Sort(env)
	return slices.Compact(env)
}

func (m *mcpStart) variable(name string) (mcp.Variable, bool) {
	v, ok := m.Variables[name]
	return v, ok
}

func (m *mcpStart) expand() (err error) {
	m.full, err = m.Server.Expand(m.variable)
	return err
}

// open makes the session. Nothing is started before it is used.
func (m *mcpStart) open(kept bool) *mcp.Session {
	options := mcp.Options{
		Dir: m.Project, Env: m.Env, Spare: m.Binary, Redact: m.redact, Self: m.Version, Lookup: m.lookup, Kept: kept,
	}
	if m.grants != nil { // a keeper has none
		options.Grants = m.grants
	}
	return mcp.NewSession(m.full, options)
}

// redact takes secrets out of a text, also tokens that came during the session.
func (m *mcpStart) redact(text string) string { return m.secrets().Text(text) }

func (m *mcpStart) lookup(command string) (string, error) {
	list, _ := lastValue(m.Env, "PATH")
	return process.Lookup(command, list, m.inProject)
}

// inProject reports whether a folder is the project's, from which no program is taken by its name.
func (m *mcpStart) inProject(dir string) bool {
	return confine.Inside(confine.RealPath(m.Project), confine.RealPath(dir))
}

// secrets knows what no message may show: headers, what is in them, and variables whose names look secret.
func (m *mcpStart) secrets() *redact.Redactor {
	secrets := &redact.Redactor{}
	m.grants.addTo(secrets)
	secrets.Add("client_secret", m.full.OAuth.ClientSecret)
	for name, v := range m.Variables {
		secrets.AddVariable(name, v.Value)
	}
	for name, value := range m.full.Env {
		secrets.AddVariable(name, value)
	}
	for name, value := range m.full.Headers {
		secrets.Add(name, value)
		for _, variable := range mcp.VariablesIn(m.Server.Headers[name]) {
			secrets.Add(variable, m.Variables[variable].Value)
		}
	}
	return secrets
}

// identity names the program behind the command, so that another one is never taken for it: which file it is and, if one of
// its arguments is a script, that file. What they load is not looked at.
func (m *mcpStart) identity() ([]string, error) {
	if slices.ContainsFunc(m.Env, func(entry string) bool { return !utf8.ValidString(entry) }) {
		return nil, errors.New("its environment is no text, which a keeper cannot be told")
	}
	path, err := m.lookup(m.full.Command)
	if err != nil {
		return nil, err
	}
	files := []string{path}
	for _, arg := range m.full.Args {
		if slices.Contains(scripts, filepath.Ext(arg)) {
			files = append(files, m.absolute(arg))
		}
	}
	var parts []string
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			parts = append(parts, fmt.Sprint(file, " ", info.Size(), " ", info.ModTime().UnixNano()))
		}
	}
	return parts, nil
}

// scripts are the extensions of files that programs run; an argument with another one may be data that changes at each call.
var scripts = []string{".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh", ".php", ".pl", ".jar"}

func (m *mcpStart) absolute(file string) string {
	for _, dir := range []string{m.full.Dir, m.Project} {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
	}
	return file
}
