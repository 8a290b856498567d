package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// library is a small index; a file's path is its id.
func library(t testing.TB, docs ...Document) *Index {
	t.Helper()
	b := (&Index{}).Update(nil)
	for _, doc := range docs {
		b.Add(NewText(doc.Name, Stamp{Size: 1}, &doc))
	}
	return b.Index()
}

// find gives the ids that a query finds, the best first. Everything is knowledge of the project, but what is named tool/….
func find(t testing.TB, ix *Index, query string) []string {
	t.Helper()
	q, err := ParseQuery(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	ids := []string{}
	for _, m := range ix.Search(q, func(file int) (Origin, bool) {
		if strings.HasPrefix(ix.Files[file].Path, "tool/") {
			return Origin{item.Tool, "system"}, true
		}
		return Origin{item.Knowledge, "project"}, true
	}) {
		if m.Score <= 0 || m.Score > 1 {
			t.Errorf("%s: %s has the score %v", query, ix.Files[m.File].Path, m.Score)
		}
		ids = append(ids, ix.Files[m.File].Path)
	}
	return ids
}

func TestQuery(t *testing.T) {
	ix := library(t,
		Document{Name: "rye/graphs", Title: "State graphs", Category: "rye", Tags: []string{"Flow"}, Body: "A graph has nodes and edges."},
		Document{Name: "rye/core/trust", Title: "Trust", Category: "rye/core", Tags: []string{"safety", "keys"}, Body: "The state of a signature. Naïve Übung."},
		Document{Name: "tool/bash", Description: "Runs a shell command", Body: "edit_lines, don't; 検索エンジン"},
		Document{Name: "ryecore/other", Category: "ryecore", Body: "nodes, and then some edges; title of nothing"},
	)
	for query, want := range map[string]string{
		"graph":                  "rye/graphs",
		"GRAPH":                  "rye/graphs",
		"state":                  "rye/graphs rye/core/trust",
		"state graph":            "rye/graphs",
		"state AND graph":        "rye/graphs",
		"trust OR bash":          "rye/core/trust tool/bash",
		"trust OR shell command": "rye/core/trust tool/bash", // OR binds weaker than AND
		"(trust OR shell) nodes": "",
		"state NOT graph":        "rye/core/trust",
		"state NOT (graph OR x)": "rye/core/trust",
		"NOT state":              "tool/bash ryecore/other",
		"NOT NOT graph":          "rye/graphs",
		`"nodes and edges"`:      "rye/graphs",
		`"nodes edges"`:          "",
		`"nodes edges"~1`:        "rye/graphs",
		`"nodes edges"~3`:        "rye/graphs ryecore/other",
		`"edges nodes"~3`:        "",
		`"graph"`:                "rye/graphs", // as a whole word, from the body
		`"grap"`:                 "",
		`"graphs A"`:             "", // one field ends, the next begins
		"gra*s":                  "rye/graphs",
		"*aphs":                  "rye/graphs",
		"a*h":                    "",
		"grpah~2":                "rye/graphs",
		"grph~":                  "rye/graphs",
		"grph":                   "",
		"title:trust":            "rye/core/trust",
		"title:nodes":            "",
		"body:state":             "rye/core/trust",
		`title:"state graphs"`:   "rye/graphs",
		"edit_lines":             "tool/bash",
		"don't":                  "tool/bash",
		"検索":                     "tool/bash",
		"übung":                  "rye/core/trust",
		"kind:tool":              "tool/bash",
		"kind:tools shell":       "tool/bash",
		"space:project edges":    "rye/graphs ryecore/other",
		"tag:SAFETY":             "rye/core/trust",
		"tag:saf":                "",
		"safety":                 "rye/core/trust",
		"category:rye":           "rye/graphs rye/core/trust", // not ryecore
		"category:rye/core":      "rye/core/trust",
		"knowledge:core/trust":   "rye/core/trust",
		"tool:trust":             "",
		"rye/core":               "rye/core/trust",
		"ye/cor":                 "rye/core/trust", // the ends of a bare term may be parts of words
		"absent":                 "",
		"foo:bar":                "",

		// What cannot be an operator is text, or nothing.
		"":                     "rye/graphs rye/core/trust tool/bash ryecore/other",
		"*":                    "rye/graphs rye/core/trust tool/bash ryecore/other",
		"-- , )":               "rye/graphs rye/core/trust tool/bash ryecore/other",
		"AND graph OR":         "rye/graphs",
		") graph ((":           "rye/graphs",
		"graph NOT":            "rye/graphs",
		`graph "nodes and`:     "rye/graphs",
		"title: graph":         "rye/graphs",
		"OR AND NOT graph AND": "rye/core/trust tool/bash ryecore/other",
	} {
		got := find(t, ix, query)
		slices.Sort(got)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: got %v, want %v", query, got, wanted)
		}
	}
}

func TestQueryRefusesWhatDoesNotExist(t *testing.T) {
	for query, hint := range map[string]string{
		"kind:knowlege x":            "did you mean knowledge?",
		"a OR (space:projet)":        "did you mean project?",
		"kind:":                      "",
		strings.Repeat("long ", 300): "",
		strings.Repeat("x ", 40):     "",
	} {
		_, err := ParseQuery(query)
		if item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%.20s: got %v", query, err)
		}
		if hint != "" && !slices.Contains(item.HintsOf(err), hint) {
			t.Errorf("%s: got the hints %q", query, item.HintsOf(err))
		}
	}
}

// FuzzQuery: whatever is typed is a query or a usage error; denying it finds exactly the rest.
func FuzzQuery(f *testing.F) {
	ix := library(f, Document{Name: "a/b", Title: "One two", Body: "three four"}, Document{Name: "c", Body: "one\nfour", Tags: []string{"x"}})
	for _, seed := range []string{
		`one "two three"~2 OR NOT (x* title:y~1)`, "((((", "kind:tool", "NOT NOT", "~~3", `"`, "tool:a/b", "a AND", "\x00\xff", "*a*b*",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text)
		if err != nil {
			if item.TypeOf(err) != item.TypeUsage {
				t.Fatalf("got %v", err)
			}
			return
		}
		everywhere := func(int) (Origin, bool) { return Origin{item.Knowledge, "project"}, true }
		found := len(ix.Search(q, everywhere))
		if !q.Empty() {
			q.root = &node{op: notNode, parts: []*node{q.root}}
			if rest := len(ix.Search(q, everywhere)); found+rest != len(ix.Files) {
				t.Errorf("%q finds %d, and %d without it, of %d", text, found, rest, len(ix.Files))
			}
		}
		q.Snippet("one two three four")
	})
}
