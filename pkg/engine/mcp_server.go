package engine

import (
	"errors"
	"path"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
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

// KnowsMCPServer is an error if no space configures a server of this name.
func (e *Engine) KnowsMCPServer(name string) error {
	if _, err := e.mcpServerIn(e.spaces, name); err != nil && item.TypeOf(err) == item.TypeNotFound {
		return err
	}
	return nil
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

// mcpVariables is what ${NAME} means in a server's configuration, in this environment.
func (e *Engine) mcpVariables(env []string) (func(string) (mcp.Variable, bool), error) {
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
		value, ok := lastValue(env, name)
		return mcp.Variable{Value: value}, ok
	}, nil
}
