package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/space"
)

// DiscoverRequest says which tools of a server to write as items.
type DiscoverRequest struct {
	Server string
	Tools  []string    // by the server's names; none means all
	Source space.Label // the space to write to; "" is that of the server's configuration
	Repin  bool        // also those whose definition is not what was pinned
	Check  bool        // only say what would be written
}

// Discovered is the answer: what the server offers, and what became of it.
type Discovered struct {
	Status string           `json:"status"` // error when a tool needs a decision or could not be written
	Server string           `json:"server"`
	Space  space.Label      `json:"space"`
	Said   mcp.Info         `json:"server_info"`
	Tokens int              `json:"tokens"`
	Tools  []DiscoveredTool `json:"tools"`
}

// The states of a discovered tool.
const (
	ToolNew       = "new"
	ToolUnchanged = "unchanged"
	ToolChanged   = "changed" // it is not what was pinned, and was left as it is
	ToolRepinned  = "repinned"
	ToolGone      = "gone" // it was pinned and is no longer offered
	ToolFailed    = "failed"
)

// DiscoveredTool is one tool of a server.
type DiscoveredTool struct {
	ItemID      string   `json:"item_id"`
	Tool        string   `json:"tool"`
	State       string   `json:"state"`
	Description string   `json:"description,omitempty"`
	Digest      string   `json:"digest,omitempty"`
	Tokens      int      `json:"tokens,omitempty"`
	Hidden      bool     `json:"hidden_characters,omitempty"` // a reader would not see all of its definition
	RenamedFrom string   `json:"renamed_from,omitempty"`
	Diff        []string `json:"diff,omitempty"`
	Path        string   `json:"path,omitempty"`
	Problem     string   `json:"problem,omitempty"`
}

// Discover asks a server for its tools and writes each as a signed item that pins its definition. What is pinned already
// and has changed is shown and left alone, unless the request says to take it as it is now.
func (e *Engine) Discover(ctx context.Context, req DiscoverRequest) (*Discovered, error) {
	s, err := e.mcpServerIn(e.spaces, req.Server)
	if err != nil {
		return nil, err
	}
	d := &discovery{engine: e, server: s, request: req, files: map[string]string{}}
	if err := d.place(); err != nil {
		return nil, err
	}
	offered, said, err := e.offeredTools(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := d.readPinned(); err != nil {
		return nil, err
	}
	out := &Discovered{Status: item.StatusSuccess, Server: s.Name, Space: d.space.Label, Said: said, Tools: []DiscoveredTool{}}
	for _, name := range req.Tools {
		if !slices.ContainsFunc(offered, func(o mcp.Definition) bool { return o.Name() == name }) {
			return nil, item.Errorf(item.TypeNotFound, "the MCP server %s offers no tool %s", s.Name, item.Quote(name)).
				Hint("rye mcp cost %s", s.Name)
		}
	}
	for _, definition := range offered {
		if len(req.Tools) == 0 || slices.Contains(req.Tools, definition.Name()) {
			out.add(d.tool(definition, offered))
		}
	}
	if len(req.Tools) == 0 {
		for _, gone := range d.gone(offered) {
			out.add(gone)
		}
	}
	return out, nil
}

func (out *Discovered) add(t DiscoveredTool) {
	out.Tools = append(out.Tools, t)
	out.Tokens += t.Tokens
	if t.State == ToolChanged || t.State == ToolFailed {
		out.Status = item.StatusError
	}
}

// discovery is one Discover.
type discovery struct {
	engine  *Engine
	server  *mcpServer
	request DiscoverRequest
	space   *space.Space
	pinned  map[string]pinnedTool // by id
	files   map[string]string     // id without regard to case → the tool that it is taken for
}

// pinnedTool is an item that an earlier discovery has written.
type pinnedTool struct {
	tool    string
	pin     mcpPin
	problem error // it cannot be relied on
}

// place chooses the space, and makes sure that it can be signed in before a server is started.
func (d *discovery) place() error {
	label := d.request.Source
	if label == "" {
		label = d.server.element.Space()
	}
	if label == space.System {
		label = space.User
	}
	d.space = d.engine.writableSpace(label)
	if d.space.Label.Rank() < d.server.element.Space().Rank() {
		return item.Usagef("a tool in %s space cannot depend on a server that is configured in %s space", d.space.Label, d.server.element.Space()).
			Hint("rye mcp discover %s --source %s", d.server.Name, d.server.element.Space())
	}
	if d.request.Check {
		return nil
	}
	_, err := integrity.LoadKey(d.engine.options.KeyDir)
	return err
}

func (d *discovery) readPinned() error {
	d.pinned = map[string]pinnedTool{}
	entries, err := space.Spaces{d.space}.List(item.Tool)
	if err != nil {
		return err
	}
	resolver := &chain.Resolver{Spaces: space.Spaces{d.space}, Verifier: d.engine.verifier}
	for _, entry := range entries {
		if entry.Ref.Category() != "mcp/"+d.server.Name {
			continue
		}
		c, err := resolver.Alone(entry.Ref)
		known := pinnedTool{tool: entry.Ref.Base(), problem: err}
		if err == nil {
			known.pin = pinOf(c.Tool().Meta)
			known.tool = c.Tool().Meta.Config.String("tool_name")
		}
		d.pinned[entry.Ref.ID] = known
	}
	return nil
}

// tool decides about one tool, and writes it.
func (d *discovery) tool(definition mcp.Definition, offered []mcp.Definition) DiscoveredTool {
	id := mcpToolID(d.server.Name, definition.Name())
	t := DiscoveredTool{
		ItemID: "tool:" + id, Tool: definition.Name(), Description: definition.Description(), Digest: definition.Digest(),
		Tokens: definition.Tokens(), Hidden: definition.Hides(), State: ToolNew,
		Path: d.space.Display(item.Tool.Dir() + "/" + id + ".yaml"),
	}
	if other, taken := d.files[strings.ToLower(id)]; taken {
		t.State, t.Problem = ToolFailed, "the tool "+item.Quote(other)+" has the same item id"
		return t
	}
	d.files[strings.ToLower(id)] = definition.Name()
	known, exists := d.pinned[id]
	switch {
	case exists && known.problem != nil:
		t.State, t.Problem = ToolChanged, known.problem.Error()
	case exists && known.pin.digest == t.Digest:
		t.State = ToolUnchanged
		return t
	case exists:
		t.State, t.Diff = ToolChanged, known.pin.definition.Diff(definition)
	default:
		t.RenamedFrom = d.renamed(definition, offered)
		if t.RenamedFrom != "" {
			t.State = ToolChanged
		}
	}
	if t.State == ToolChanged {
		if !d.request.Repin {
			return t
		}
		t.State, t.Problem = ToolRepinned, ""
	}
	if !d.request.Check {
		d.write(&t, id, definition)
	}
	return t
}

// renamed is the pinned tool that a new one was before, if it is the same under another name.
func (d *discovery) renamed(definition mcp.Definition, offered []mcp.Definition) string {
	for _, known := range d.pinned {
		still := slices.ContainsFunc(offered, func(o mcp.Definition) bool { return o.Name() == known.tool })
		if known.problem == nil && !still && known.pin.definition.SameShape(definition) {
			return known.tool
		}
	}
	return ""
}

// gone lists what was pinned and is offered no longer. Its items stay: they refuse to run, and say why.
func (d *discovery) gone(offered []mcp.Definition) []DiscoveredTool {
	var gone []DiscoveredTool
	for id, known := range d.pinned {
		if !slices.ContainsFunc(offered, func(o mcp.Definition) bool { return mcpToolID(d.server.Name, o.Name()) == id }) {
			gone = append(gone, DiscoveredTool{ItemID: "tool:" + id, Tool: known.tool, State: ToolGone, Path: d.space.Display(item.Tool.Dir() + "/" + id + ".yaml")})
		}
	}
	slices.SortFunc(gone, func(a, b DiscoveredTool) int { return strings.Compare(a.ItemID, b.ItemID) })
	return gone
}
