package engine

import (
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// mcpPin is what a server's tool was when somebody signed for it. The zero mcpPin is that of a tool that nobody pinned.
type mcpPin struct {
	digest     string
	definition mcp.Definition
}

func pinOf(meta *item.Metadata) mcpPin {
	definition, _ := item.Plain(meta.Config.Object("definition")).(map[string]any)
	return mcpPin{digest: meta.Config.String("digest"), definition: definition}
}

// check compares the pin with what the server offers now.
func (p mcpPin) check(server, tool string, offered []mcp.Definition) error {
	var found []mcp.Definition
	for _, d := range offered {
		if d.Name() == tool {
			found = append(found, d)
		}
	}
	repin := "rye mcp discover " + item.ShellWord(server) + " --tool " + item.ShellWord(tool) + " --repin"
	switch {
	case len(found) == 0:
		return p.gone(server, tool, offered)
	case len(found) > 1:
		return item.Errorf(item.TypeIntegrity, "the MCP server %s offers %d tools called %s", server, len(found), item.Quote(tool))
	case found[0].Digest() == p.digest:
		return nil
	}
	changes := p.definition.Diff(found[0])
	if len(changes) == 0 {
		changes = []string{"the digest " + item.Quote(p.digest) + " is not that of the definition beside it"}
	}
	return item.Errorf(item.TypeIntegrity, "the MCP server %s has changed the definition of %s since it was pinned:\n%s",
		server, item.Quote(tool), strings.Join(changes, "\n")).Hint("read the change; if it is right: %s", repin)
}

// gone tells a tool that is no longer offered from one that has another name now.
func (p mcpPin) gone(server, tool string, offered []mcp.Definition) error {
	if i := slices.IndexFunc(offered, p.definition.SameShape); i >= 0 {
		return item.Errorf(item.TypeIntegrity, "the MCP server %s no longer offers %s, but %s has the same definition", server, item.Quote(tool), item.Quote(offered[i].Name())).
			Hint("if it was renamed: rye mcp discover %s --repin", item.ShellWord(server))
	}
	return item.Errorf(item.TypeNotFound, "the MCP server %s no longer offers %s", server, item.Quote(tool)).
		Hint("rye mcp discover %s", item.ShellWord(server))
}

// mcpToolID is the id of the item of a server's tool. Names may hold what ids cannot.
func mcpToolID(server, tool string) string {
	id := "mcp/" + server + "/" + strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(tool)
	if item.ValidateID(id) == nil {
		return id
	}
	return "mcp/" + server + "/" + strings.Map(plainLetter, tool)
}

func plainLetter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
		return r
	}
	return '_'
}
