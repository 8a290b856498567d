package search

import (
	"slices"
	"strings"
	"testing"
)

func TestRank(t *testing.T) {
	filler := strings.Repeat("something else entirely ", 40)
	for name, test := range map[string]struct {
		query string
		best  []string
		docs  []Document
	}{
		"a title counts more than a body, a description is between": {"anchor", []string{"title", "description", "body"}, []Document{
			{Name: "body", Body: "the anchor"}, {Name: "description", Description: "the anchor"}, {Name: "title", Title: "the anchor"},
		}},
		"a whole word counts more than a part": {"list", []string{"whole", "part"}, []Document{
			{Name: "part", Body: "to listen"}, {Name: "whole", Body: "to list"},
		}},
		"more often is better": {"anchor", []string{"often", "once"}, []Document{
			{Name: "once", Body: "anchor and so on and so forth"}, {Name: "often", Body: "anchor and anchor and so anchor"},
		}},
		"a short text that names it is more about it than a long one": {"anchor", []string{"short", "long"}, []Document{
			{Name: "long", Body: filler + "anchor"}, {Name: "short", Body: "an anchor"},
		}},
		"the rare word decides": {"common OR rare", []string{"r", "c1"}, []Document{
			{Name: "c1", Body: "common"}, {Name: "c2", Body: "common"}, {Name: "c3", Body: "common"}, {Name: "r", Body: "rare"},
		}},
		"words in different fields add up": {"red blue", []string{"near", "far"}, []Document{
			{Name: "far", Body: "red blue"}, {Name: "near", Title: "red", Body: "blue"},
		}},
		"what is denied does not count": {"red NOT blue", []string{"a"}, []Document{
			{Name: "a", Body: "red"}, {Name: "b", Body: "red blue"},
		}},
	} {
		got := find(t, library(t, test.docs...), test.query)
		if len(got) < len(test.best) || !slices.Equal(got[:len(test.best)], test.best) {
			t.Errorf("%s: got %v, want %v", name, got, test.best)
		}
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("lorem ipsum dolor ", 50)
	for name, test := range map[string]struct{ query, text, want string }{
		"short":       {"x", "A short\n\ttext.", "A short text."},
		"no match":    {"zzz", long, long[:190]},
		"match":       {"anchor", long + "the anchor is here", "… ipsum dolor lorem ipsum dolor the anchor is here"},
		"most terms":  {"red blue", "red " + long + "red and blue" + long + " blue", "red and blue"},
		"hostile":     {"x", "a\x1b[31m\u202eb\x00c\xffd\u200b e", "a [31m b c d e"},
		"not wanted":  {"x NOT anchor", long + "anchor", long[:190]},
		"wide script": {"検索", strings.Repeat("字", 200) + " 検索", "検索"},
	} {
		q, err := ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		got := q.Snippet(test.text)
		if !strings.Contains(got, test.want) || len(got) > snippetSize+len("… ")+len(" …") {
			t.Errorf("%s: got %q, want %q in it", name, got, test.want)
		}
		if strings.ContainsAny(got, "\x00\x1b\n\t\u202e\uFFFD") {
			t.Errorf("%s: %q can steer a terminal", name, got)
		}
	}
}
