package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/search"
	"github.com/ryeos/rye/pkg/space"
)

// SearchRequest asks for items by what is written in them.
type SearchRequest struct {
	Query string      // in the language of search.Query
	Kind  item.Kind   // "" for every kind
	Space space.Label // "" for what wins in each space; else everything of that space, shadowed or not
	Limit int         // of results; 0 for all
}

// NewSearchRequest makes a request of words that people have typed: "" for the kind or the space is any.
func NewSearchRequest(query, kind, in string) (req SearchRequest, err error) {
	req = SearchRequest{Query: query, Space: space.Label(in)}
	if kind != "" {
		if req.Kind, err = search.ParseKind(kind); err != nil {
			return req, err
		}
	}
	if in != "" {
		err = search.CheckSpace(in)
	}
	return req, err
}

// SearchResult is what a search finds.
type SearchResult struct {
	Query      string      `json:"query"`
	Results    []SearchHit `json:"results"`
	Total      int         `json:"total"`                // before the limit
	Unreadable int         `json:"unreadable,omitempty"` // files that could not be searched
}

// SearchHit is one item that fits. Its text was read, not verified.
type SearchHit struct {
	ItemID      string      `json:"item_id"`
	Kind        item.Kind   `json:"kind"`
	Space       space.Label `json:"space"`
	Path        string      `json:"path"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Score       float64     `json:"score"`
	Snippet     string      `json:"snippet,omitempty"`
	ShadowedBy  string      `json:"shadowed_by,omitempty"`
}

// Search finds items, the best first. An index of their words is kept in the cache folder, so that only files that have
// changed are read; what is shown of an item is always read from the item itself.
func (e *Engine) Search(req SearchRequest) (*SearchResult, error) {
	q, err := search.ParseQuery(req.Query)
	if err != nil {
		return nil, err
	}
	shelf, err := e.openShelf()
	if err != nil {
		return nil, err
	}
	everywhere := req.Space != "" || q.Asks("space")
	matches := shelf.index.Search(q, func(file int) (in search.Origin, ok bool) {
		entry := shelf.entry(file)
		if entry == nil || entry.ShadowedBy != nil && !everywhere {
			return in, false
		}
		in = search.Origin{Kind: entry.Ref.Kind, Space: string(entry.Space.Label)}
		return in, cmp.Or(req.Kind, in.Kind) == in.Kind && cmp.Or(req.Space, entry.Space.Label) == entry.Space.Label
	})
	slices.SortFunc(matches, func(a, b search.Match) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		x, y := shelf.entry(a.File), shelf.entry(b.File)
		return cmp.Or(y.Space.Label.Rank()-x.Space.Label.Rank(), strings.Compare(x.Ref.ID, y.Ref.ID), cmp.Compare(x.Rel, y.Rel))
	})
	result := &SearchResult{Query: req.Query, Results: []SearchHit{}, Total: len(matches), Unreadable: shelf.unreadable}
	if req.Limit > 0 && len(matches) > req.Limit {
		matches = matches[:req.Limit]
	}
	for _, m := range matches {
		result.Results = append(result.Results, searchHit(q, shelf.entry(m.File), m.Score))
	}
	return result, nil
}

// searchHit reads the item once more. One that has gone since it was indexed has no text.
func searchHit(q *search.Query, entry *space.Entry, score float64) SearchHit {
	hit := SearchHit{
		ItemID: entry.Ref.String(), Kind: entry.Ref.Kind, Space: entry.Space.Label, Path: entry.Display(), Score: score,
	}
	if entry.ShadowedBy != nil {
		hit.ShadowedBy = entry.ShadowedBy.Display()
	}
	if head, err := entry.Space.ReadHead(entry.Rel, search.HeadSize); err == nil {
		doc, _ := search.Read(entry.Ref, entry.Rel, head)
		hit.Title, hit.Description = search.Preview(doc.Title), search.Preview(doc.Description)
		hit.Snippet = q.Snippet(doc.Body)
	}
	return hit
}
