package engine

import (
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// ListRequest narrows a listing.
type ListRequest struct {
	Kind  item.Kind // "" for every kind
	Query string    // every word must occur in the id or the description, whatever its case
	All   bool      // also what other spaces shadow, and runtimes
}

// Listed is one item of a listing.
type Listed struct {
	ItemID      string      `json:"item_id"`
	Kind        item.Kind   `json:"kind"`
	Space       space.Label `json:"space"`
	Path        string      `json:"path"`
	ToolType    string      `json:"tool_type,omitempty"`
	Description string      `json:"description,omitempty"`
	Signature   string      `json:"signature"` // verified, or why not: unsigned, modified, untrusted, …
	ShadowedBy  string      `json:"shadowed_by,omitempty"`
}

// List gives the items of every space, sorted by kind and id. Library files are left out. An item that does not parse
// is listed, with the error as its description.
func (e *Engine) List(req ListRequest) ([]Listed, error) {
	kinds := item.Kinds()
	if req.Kind != "" {
		kinds = []item.Kind{req.Kind}
	}
	var listed []Listed
	for _, kind := range kinds {
		entries, err := e.spaces.List(kind)
		if err != nil {
			return nil, err
		}
		rows := make([]*Listed, len(entries))
		forEach(len(entries), nil, func(i int) { rows[i] = e.listOne(entries[i], req) })
		for _, row := range rows {
			if row != nil {
				listed = append(listed, *row)
			}
		}
	}
	return listed, nil
}

// listOne is nil for what the request leaves out.
func (e *Engine) listOne(entry space.Entry, req ListRequest) *Listed {
	if entry.ShadowedBy != nil && !req.All || strings.HasPrefix(entry.Rel, keyDocuments) {
		return nil
	}
	row := &Listed{
		ItemID: entry.Ref.String(), Kind: entry.Ref.Kind, Space: entry.Space.Label, Path: entry.Display(),
	}
	if entry.ShadowedBy != nil {
		row.ShadowedBy = entry.ShadowedBy.Display()
	}
	data, detached, err := entry.Read()
	if err == nil {
		var meta *item.Metadata
		if meta, err = item.ParseMetadata(entry.Ref.Kind, entry.Display(), data); err == nil {
			if !item.IsItem(entry.Ref.Kind, meta) || meta.ToolType == "runtime" && !req.All && req.Query == "" {
				return nil
			}
			row.ToolType, row.Description = meta.ToolType, meta.Description
		}
	}
	if err != nil {
		row.Description = item.FirstLine(err.Error())
	}
	if !matches(row, req.Query) {
		return nil
	}
	row.Signature = e.signatureState(chain.SourceOf(entry.Place, entry.Ref.Kind, data, detached))
	return row
}

func matches(row *Listed, query string) bool {
	text := strings.ToLower(row.ItemID + " " + row.Description)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// IDs lists the references of a kind for completion: no file is opened, so library files may be among them.
func (e *Engine) IDs(kind item.Kind) []string {
	entries, err := e.spaces.List(kind)
	if err != nil {
		return nil
	}
	var ids []string
	for _, entry := range entries {
		if entry.ShadowedBy == nil && !strings.HasPrefix(entry.Rel, keyDocuments) {
			ids = append(ids, entry.Ref.String())
		}
	}
	return ids
}
