package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
)

// Definition is what a server says about one of its tools: whatever a model or a person would decide by. Its keys are the
// protocol's: name, title, description, inputSchema, outputSchema, annotations.
type Definition map[string]any

// definition takes the parts out of the SDK's value that were there.
func definition(t *sdk.Tool) (Definition, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	var d Definition
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, err
	}
	maps.DeleteFunc(d, func(key string, _ any) bool { return key == "_meta" || key == "icons" })
	return d, nil
}

// Name is the tool's name, as a call must repeat it.
func (d Definition) Name() string { name, _ := d["name"].(string); return name }

// Description is the tool's description, for readers.
func (d Definition) Description() string {
	for _, key := range []string{"description", "title", "name"} {
		if text, _ := d[key].(string); strings.TrimSpace(text) != "" {
			return strings.TrimSpace(Clean(text))
		}
	}
	return "a tool without a name"
}

// InputSchema is the schema of the tool's parameters, for readers.
func (d Definition) InputSchema() map[string]any {
	schema, _ := cleanTree(d["inputSchema"]).(map[string]any)
	if schema == nil {
		schema = map[string]any{}
	}
	return schema
}

// Hides reports whether a reader would not see all of the definition.
func (d Definition) Hides() bool { return hides(map[string]any(d)) }

func hides(value any) bool {
	switch v := value.(type) {
	case string:
		return Hides(v) || len(v) > maxDescription
	case []any:
		return slices.ContainsFunc(v, hides)
	case map[string]any:
		for key, e := range v {
			if Hides(key) || hides(e) {
				return true
			}
		}
	}
	return false
}

// Digest names the definition: another one has another digest. It is over canonical JSON behind a label, so that no other
// digest can be taken for one.
func (d Definition) Digest() string {
	sum := sha256.Sum256(append([]byte("rye-mcp-tool-v1\x00"), d.canonical()...))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (d Definition) canonical() []byte {
	data, _ := item.AppendJSON(nil, map[string]any(d)) // it came from JSON
	return data
}

// Tokens estimates what the definition takes in a model's context: a model reads about four bytes of JSON as one token.
func (d Definition) Tokens() int {
	seen := Definition{}
	for _, key := range []string{"name", "description", "inputSchema"} {
		if v, ok := d[key]; ok {
			seen[key] = v
		}
	}
	return (len(seen.canonical()) + 3) / 4
}

// SameShape reports whether two definitions differ in their names only: the sign of a tool that was renamed.
func (d Definition) SameShape(other Definition) bool {
	nameless := func(d Definition) string {
		d = maps.Clone(d)
		delete(d, "name")
		delete(d, "title")
		return string(d.canonical())
	}
	return nameless(d) == nameless(other)
}

// Diff lists what differs between a definition and a later one, a line each.
func (d Definition) Diff(later Definition) []string {
	var lines []string
	diff(&lines, "", map[string]any(d), map[string]any(later))
	return lines
}

func diff(lines *[]string, path string, was, is any) {
	a, aIsMap := was.(map[string]any)
	b, bIsMap := is.(map[string]any)
	if !aIsMap || !bIsMap {
		x, y := shown(was), shown(is)
		if x != y {
			*lines = append(*lines, "- "+path+": "+x, "+ "+path+": "+y)
		}
		return
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		below := item.CleanText(key)
		if path != "" {
			below = path + "." + below
		}
		before, had := a[key]
		after, has := b[key]
		switch {
		case !had:
			*lines = append(*lines, "+ "+below+": "+shown(after))
		case !has:
			*lines = append(*lines, "- "+below+": "+shown(before))
		default:
			diff(lines, below, before, after)
		}
	}
}

// shown is a value in a diff: what is invisible in it is written out.
func shown(v any) string {
	if text, ok := v.(string); ok {
		return quoteWhole(text)
	}
	data, err := item.AppendJSON(nil, v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if text := string(data); !Hides(text) {
		return text
	}
	return quoteWhole(string(data))
}

func quoteWhole(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r == '\n' || hidden(r) {
			fmt.Fprintf(&out, "\\u{%x}", r)
		} else {
			out.WriteRune(r)
		}
	}
	return `"` + out.String() + `"`
}

// Tools lists the server's tools in its order.
func (s *Session) Tools(ctx context.Context) ([]Definition, error) {
	l, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	defer s.release(l)
	return s.list(ctx, l)
}

func (s *Session) list(ctx context.Context, l *link) ([]Definition, error) {
	ctx, stop := s.limit(ctx, s.server.StartTimeout, "start_timeout")
	defer stop()
	var all []Definition
	params := &sdk.ListToolsParams{}
	for seen := map[string]bool{}; ; {
		page, err := l.ListTools(ctx, params)
		if err != nil {
			return nil, s.lost(ctx, l, err)
		}
		for _, t := range page.Tools {
			d, err := definition(t)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
		switch {
		case len(all) > maxTools:
			return nil, item.Errorf(item.TypeLimit, "the MCP server %s has more than %d tools", s.server.Name, maxTools)
		case page.NextCursor == "":
			return all, nil
		case seen[page.NextCursor] || len(seen) > maxTools:
			return nil, item.Errorf(item.TypeUnavailable, "the list of tools of the MCP server %s has no end", s.server.Name)
		}
		seen[page.NextCursor] = true
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
}
