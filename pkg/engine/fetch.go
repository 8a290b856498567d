package engine

import (
	"path"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// Fetched is an item as fetch gives it by its id (spec/rye-agent §5.2). It was verified.
type Fetched struct {
	Status   string       `json:"status"`
	Content  string       `json:"content"`
	Metadata *item.Object `json:"metadata"`
	Path     string       `json:"path"`
	Source   space.Label  `json:"source"`
	Mode     string       `json:"mode"` // id
}

// Found is what fetch finds by a query.
type Found struct {
	Results []SearchHit `json:"results"`
	Total   int         `json:"total"`
	Query   string      `json:"query"`
	Scope   string      `json:"scope"`
	Source  string      `json:"source"`
	Limit   int         `json:"limit"`
	Type    string      `json:"search_type"` // keyword
	Mode    string      `json:"mode"`        // query
}

// defaultFetchLimit is how many results a query gives that names no limit.
const defaultFetchLimit = 10

// Fetch reads one item, or searches when ref is zero: parameters query, scope, source and limit. The first is a Fetched, the
// second a Found.
func (e *Engine) Fetch(ref item.Ref, params map[string]any) (any, error) {
	query, _ := params["query"].(string)
	source, _ := params["source"].(string)
	switch {
	case ref.ID != "" && query != "":
		return nil, item.Usagef("Provide item_id or query, not both")
	case ref.ID != "":
		return e.fetchItem(ref, source)
	case query == "":
		return nil, item.Usagef("Provide item_id or query+scope")
	}
	scope, _ := params["scope"].(string)
	limit := defaultFetchLimit
	if f, ok := item.Float(params["limit"]); ok && f >= 1 {
		limit = int(min(f, 1000))
	}
	return e.fetchQuery(query, scope, source, limit)
}

func (e *Engine) fetchItem(ref item.Ref, source string) (*Fetched, error) {
	if ref.Kind == "" {
		resolved, err := e.resolveRef(ref)
		if err != nil {
			return nil, err
		}
		ref = resolved
	}
	resolver := e.resolver
	if source != "" && source != "all" && source != "local" {
		only := e.spaces.Get(space.Label(source))
		if only == nil {
			return nil, item.Usagef("there is no space %s: use project, user or system", item.Quote(source))
		}
		resolver = &chain.Resolver{Spaces: space.Spaces{only}, Verifier: e.verifier}
	}
	c, err := resolver.Alone(ref)
	if err != nil {
		if item.TypeOf(err) == item.TypeNotFound {
			return nil, item.Errorf(item.TypeNotFound, "Item not found: %s", ref).Hint("rye list %s", ref.Kind)
		}
		return nil, err
	}
	el := c.Tool()
	meta := item.NewObject()
	meta.Set("name", path.Base(ref.ID))
	meta.Set("path", el.Place.Rel)
	meta.Set("extension", path.Ext(el.Place.Rel))
	if el.Meta.Version != "" {
		meta.Set("version", el.Meta.Version)
	}
	return &Fetched{
		Status: item.StatusSuccess, Content: string(el.Source()), Metadata: meta, Path: el.Place.Display(), Source: el.Space(), Mode: "id",
	}, nil
}

// fetchQuery searches a scope: a kind, `kind.folder.*`, or either behind `rye.fetch.`. Folders are compared whole.
func (e *Engine) fetchQuery(query, scope, source string, limit int) (*Found, error) {
	within := strings.TrimPrefix(strings.TrimPrefix(scope, "rye.fetch."), "rye.*.")
	name, folder, _ := strings.Cut(within, ".")
	kind, err := item.ParseKind(name)
	if err != nil {
		return nil, item.Usagef("scope must specify a kind (e.g., rye.fetch.directive.*)")
	}
	folder = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(folder, "*"), "."), ".", "/")
	req := SearchRequest{Query: query, Kind: kind}
	if source != "" && source != "all" && source != "local" {
		if e.spaces.Get(space.Label(source)) == nil {
			return nil, item.Usagef("there is no space %s: use project, user or system", item.Quote(source))
		}
		req.Space = space.Label(source)
	}
	result, err := e.Search(req)
	if err != nil {
		return nil, err
	}
	hits := slices.DeleteFunc(result.Results, func(h SearchHit) bool {
		_, id, _ := strings.Cut(h.ItemID, ":")
		return folder != "" && !strings.HasPrefix(id, folder+"/")
	})
	found := &Found{
		Results: hits[:min(len(hits), limit)], Total: len(hits), Query: query, Scope: scope, Source: source, Limit: limit,
		Type: "keyword", Mode: "query",
	}
	if found.Source == "" {
		found.Source = "all"
	}
	return found, nil
}
