package engine

import (
	"errors"
	"path"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/confine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// mcpServers is the folder of the servers' configurations, below that of the kind.
const mcpServers = "mcp/servers"

// mcpServer is a server whose configuration was found and verified.
type mcpServer struct {
	*mcp.Server
	element *chain.Element
}

// mcpServerIn finds, verifies and reads a server's configuration in these spaces. The place that RYE OS gave them, among
// the tools, counts where there is no other.
func (e *Engine) mcpServerIn(spaces space.Spaces, text string) (*mcpServer, error) {
	name, err := mcpServerName(text)
	if err != nil {
		return nil, err
	}
	resolver := &chain.Resolver{Spaces: spaces, Verifier: e.verifier}
	ref := item.Ref{Kind: item.Config, ID: mcpServers + "/" + name}
	c, err := resolver.Alone(ref)
	var missing *space.NotFoundError
	if errors.As(err, &missing) {
		c, err = resolver.Alone(ref.With(item.Tool))
	}
	if errors.As(err, &missing) {
		return nil, e.mcpServerNotFound(name, spaces)
	}
	if err != nil {
		return nil, err
	}
	server, err := mcp.ParseServer(name, c.Tool().Meta.Document.Values)
	if err != nil {
		return nil, err
	}
	return &mcpServer{server, c.Tool()}, nil
}

// mcpServerName takes a server's name, or the id of its configuration.
func mcpServerName(text string) (string, error) {
	name := strings.TrimPrefix(strings.TrimPrefix(text, "config:"), mcpServers+"/")
	if err := item.ValidateID(name); err != nil || strings.Contains(name, "/") {
		return "", item.Usagef("%s is no name of an MCP server", item.Quote(text)).Hint("rye mcp servers")
	}
	return name, nil
}

func (e *Engine) mcpServerNotFound(name string, spaces space.Spaces) error {
	err := item.Errorf(item.TypeNotFound, "MCP server not found: %s", name)
	var names []string
	entries, listErr := e.spaces.List(item.Config)
	for _, entry := range entries {
		if path.Dir(entry.Ref.ID) == mcpServers {
			names = append(names, entry.Ref.Base())
		}
	}
	if near := item.Suggest(name, names); listErr == nil && near != "" && near != name {
		err.Hint("did you mean %s?", near)
	}
	if len(spaces) < len(e.spaces) {
		if _, found := e.spaces.Find(item.Ref{Kind: item.Config, ID: mcpServers + "/" + name}, false); found == nil {
			err.Hint("there is one in a space that this item cannot depend on")
		}
	}
	return err.Hint("rye mcp servers")
}

// shadows lists the configurations of other spaces that this one hides.
func (s *mcpServer) shadows() []string {
	var files []string
	for _, p := range s.element.Shadowed {
		files = append(files, p.Display())
	}
	return files
}

// openMCP makes a session with a server. Its variables come from the environment and the project's .env, as those of tools
// do; its process gets the minimal environment and what the configuration declares.
func (e *Engine) openMCP(s *mcpServer) (*mcp.Session, error) {
	lookup, err := e.mcpVariables()
	if err != nil {
		return nil, err
	}
	full, err := s.Expand(lookup)
	if err != nil {
		return nil, err
	}
	env := runtime.MinimalEnv(e.options.Env)
	secrets := mcpSecrets(s.Server, full, lookup)
	return mcp.NewSession(full, mcp.Options{
		Dir: e.options.Project, Env: env, Spare: e.options.Binary, Redact: secrets.Text,
		Lookup: func(command string) (string, error) {
			list, _ := lastValue(env, "PATH")
			return process.Lookup(command, list, e.inProject)
		},
	}), nil
}

// inProject reports whether a folder is the project's, from which no program is taken by its name.
func (e *Engine) inProject(dir string) bool {
	return confine.Inside(confine.RealPath(e.options.Project), confine.RealPath(dir))
}

// mcpVariables is what ${NAME} means in a server's configuration.
func (e *Engine) mcpVariables() (func(string) (mcp.Variable, bool), error) {
	vars, _, err := runtime.DotEnv(e.options.Project)
	if err != nil {
		return nil, err
	}
	return func(name string) (mcp.Variable, bool) {
		for i := len(vars) - 1; i >= 0; i-- {
			if vars[i].Name == name {
				return mcp.Variable{Value: vars[i].Value, InProject: true}, true
			}
		}
		value, ok := lastValue(e.options.Env, name)
		return mcp.Variable{Value: value}, ok
	}, nil
}

// mcpSecrets knows what no message may show: headers, what is in them, and variables whose names look secret.
func mcpSecrets(s, full *mcp.Server, lookup func(string) (mcp.Variable, bool)) *redact.Redactor {
	secrets := &redact.Redactor{}
	for _, name := range s.Variables() {
		v, _ := lookup(name)
		secrets.AddVariable(name, v.Value)
	}
	for name, value := range full.Env {
		secrets.AddVariable(name, value)
	}
	for name, value := range full.Headers {
		secrets.Add(name, value)
		for _, variable := range mcp.VariablesIn(s.Headers[name]) {
			v, _ := lookup(variable)
			secrets.Add(variable, v.Value)
		}
	}
	return secrets
}
