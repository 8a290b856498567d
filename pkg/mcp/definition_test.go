package mcp_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/mcp"
)

func defined() mcp.Definition {
	return mcp.Definition{
		"name": "read", "title": "Read", "description": "Reads a file",
		"inputSchema":  map[string]any{"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string"}}},
		"outputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true},
	}
}

// TestDigestBindsEverything changes each part of a definition, and finds every change in digest and diff.
func TestDigestBindsEverything(t *testing.T) {
	for part, change := range map[string]func(mcp.Definition){
		"name":         func(d mcp.Definition) { d["name"] = "read2" },
		"title":        func(d mcp.Definition) { delete(d, "title") },
		"description":  func(d mcp.Definition) { d["description"] = "Reads a file\u200b" },
		"inputSchema":  func(d mcp.Definition) { d["inputSchema"].(map[string]any)["required"] = []any{"path"} },
		"outputSchema": func(d mcp.Definition) { delete(d, "outputSchema") },
		"annotations":  func(d mcp.Definition) { d["annotations"] = map[string]any{"readOnlyHint": false} },
	} {
		later := defined()
		change(later)
		if later.Digest() == defined().Digest() {
			t.Errorf("the digest does not bind the %s", part)
		}
		if diff := strings.Join(defined().Diff(later), "\n"); !strings.Contains(diff, part) || strings.Contains(diff, "\u200b") {
			t.Errorf("the diff of the %s is %q", part, diff)
		}
		if same := later.SameShape(defined()); same != (part == "name" || part == "title") {
			t.Errorf("after a change of the %s the shape is the same: %t", part, same)
		}
	}
	if diff := defined().Diff(defined()); len(diff) > 0 {
		t.Errorf("a definition differs from itself: %v", diff)
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain ü\n\ttext":                  "plain ü\n\ttext",
		"\x1b[31mred\x1b[0m":               "red",
		"\x1b]0;title\aafter":              "after",
		"\x1b]8;;http://x\x1b\\link":       "link",
		"a\u200bb\u202ec\u2066d\ufeffe":    "abcde",
		"bell\a back\b nul\x00 del\x7f":    "bell back nul del",
		"tag\U000e0041\U000e0042 vs\ufe0f": "tag vs",
		"no \xff utf8":                     "no \ufffd utf8",
		"cut \x1b[":                        "cut ",
	} {
		if got := mcp.Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
	if got := mcp.Clean(strings.Repeat("é", 1<<20)); len(got) > 9<<10 || !utf8.ValidString(got) {
		t.Errorf("a long text is %d bytes long", len(got))
	}
}

// FuzzClean: what is left of a text is text, hides nothing, and does not change again.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[1mb", "\x1b]x\x1b\\", "\u200b\xff\xf0\x9f", "\x1b\x1b[["} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := mcp.Clean(text)
		if !utf8.ValidString(clean) || mcp.Hides(clean) {
			t.Errorf("Clean(%q) = %q", text, clean)
		}
		if len(text) < 1<<10 && mcp.Clean(clean) != clean {
			t.Errorf("Clean(%q) changes at the second time", text)
		}
	})
}
