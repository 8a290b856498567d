package process

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTaggedEnv(t *testing.T) {
	got := taggedEnv([]string{"A=1", "RYE_RUN_ID=x", "RYE_DETACHED=1", "RYE_RUN_IDS=y", "RYE_RUN_ID="}, "t")
	if want := []string{"RYE_RUN_ID=t", "A=1", "RYE_RUN_IDS=y"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestNewTag(t *testing.T) {
	if a, b := newTag(""), newTag(""); a == b || !regexp.MustCompile("^[0-9a-f]{16}$").MatchString(a) {
		t.Errorf("got %q and %q", a, b)
	}
	if tag := newTag("a/b"); !regexp.MustCompile("^a/b/[0-9a-f]{16}$").MatchString(tag) {
		t.Errorf("got %q", tag)
	}
	for name, outer := range map[string]string{"one name": strings.Repeat("x", maxTag), "no room": strings.Repeat("x", maxTag-16)} {
		if tag := newTag(outer); len(tag) != 16 {
			t.Errorf("%s: got %q", name, tag)
		}
	}
}

// However deep runs are nested: a tag stays short and unique, and a run recognises those far below it.
func TestNewTagDeep(t *testing.T) {
	tag := "root"
	var seen []string
	for range 200 {
		tag = newTag(tag)
		if len(tag) > maxTag || slices.Contains(seen, tag) {
			t.Fatalf("after %d runs: %d bytes, %q", len(seen), len(tag), tag)
		}
		seen = append(seen, tag)
	}
	for depth, outer := range append([]string{"root"}, seen[:50]...) {
		if !within(tag, outer) {
			t.Errorf("run %d does not recognise the innermost run", depth)
		}
	}
}

func TestWithin(t *testing.T) {
	tests := []struct {
		tag, outer string
		want       bool
	}{
		{"a", "a", true}, {"a/b", "a", true}, {"a/b/c", "a/b", true},
		{"ab", "a", false}, {"a", "a/b", false}, {"b/a", "a", false}, {"", "a", false}, {"a-b/c", "a", false},
	}
	for _, tt := range tests {
		if got := within(tt.tag, tt.outer); got != tt.want {
			t.Errorf("%q within %q: %v", tt.tag, tt.outer, got)
		}
	}
}

func TestNames(t *testing.T) {
	tests := []struct {
		tag, name string
		want      bool
	}{
		{"a", "a", true}, {"a/b/c", "a", true}, {"a/b/c", "b", true}, {"a/b/c", "c", true},
		{"ab/c", "a", false}, {"a/bc", "b", false}, {"a/bc", "c", false}, {"", "a", false},
	}
	for _, tt := range tests {
		if got := names(tt.tag, tt.name); got != tt.want {
			t.Errorf("%q in %q: %v", tt.name, tt.tag, got)
		}
	}
}

// What runs after EnterRun is part of the run that this process belongs to, and of the one that it has entered.
func TestEnterRun(t *testing.T) {
	before := ownTag
	t.Cleanup(func() { ownTag = before })
	ownTag = "outer"
	EnterRun("graph")
	tag := newTag(ownTag)
	if !within(tag, "outer") || !names(tag, "graph") || within(tag, "graph") {
		t.Errorf("got %q", tag)
	}
}
