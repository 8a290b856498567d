package item

import (
	"strings"
	"testing"
)

func TestParseRef(t *testing.T) {
	tests := []struct {
		text           string
		want           Ref
		base, category string
	}{
		{"tool:rye/bash", Ref{Tool, "rye/bash"}, "bash", "rye"},
		{"directive:x", Ref{Directive, "x"}, "x", ""},
		{"knowledge:a/b/c.d", Ref{Knowledge, "a/b/c.d"}, "c.d", "a/b"},
		{"config:a b/ü", Ref{Config, "a b/ü"}, "ü", "a b"},
		{"rye/bash", Ref{"", "rye/bash"}, "bash", "rye"},
		{"a/..b/c..", Ref{"", "a/..b/c.."}, "c..", "a/..b"},
	}
	for _, tt := range tests {
		got, err := ParseRef(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%q: got %+v, %v", tt.text, got, err)
		}
		if got.Base() != tt.base || got.Category() != tt.category {
			t.Errorf("%q: base %q, category %q", tt.text, got.Base(), got.Category())
		}
		if got.String() != tt.text {
			t.Errorf("%q is written as %q", tt.text, got)
		}
	}
}

func TestParseRefRefuses(t *testing.T) {
	tests := []struct{ text, message string }{
		{"", "empty"},
		{"tool:", "needs an id after the colon"},
		{"tools:a", "unknown kind"},
		{"Tool:a", "unknown kind"},
		{" tool:a", "unknown kind"},
		{"dependency:a", "unknown kind"},
		{":a", "unknown kind"},
		{"tool:tool:a", "colon"},
		{"C:\\x", "unknown kind"},
		{"../a", "cannot leave its folder"},
		{"tool:a/../b", "cannot leave its folder"},
		{"tool:a/.", "cannot leave its folder"},
		{"/etc/passwd", "absolute"},
		{"tool://a", "absolute"},
		{"a//b", "empty part"},
		{"a/", "empty part"},
		{`a\..\b`, "backslash"},
		{"a\x00b", "control"},
		{"a\nb", "control"},
		{"a\u202eb", "invisible"},
		{"a\u2028b", "invisible"},
		{"a\u200bb", "invisible"},
		{"a\xff", "UTF-8"},
		{strings.Repeat("a/", 256) + "a", "512 are allowed"},
		{"a/" + strings.Repeat("b", 201), "200 are allowed"},
	}
	for _, tt := range tests {
		_, err := ParseRef(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%.20q: got %v, want %s", tt.text, err, tt.message)
		} else if TypeOf(err) != TypeUsage {
			t.Errorf("%.20q: the error is of type %s", tt.text, TypeOf(err))
		}
	}
}

func TestRefWith(t *testing.T) {
	if got := (Ref{ID: "a"}).With(Directive).String(); got != "directive:a" {
		t.Errorf("got %s", got)
	}
}

func FuzzParseRef(f *testing.F) {
	for _, seed := range []string{"tool:rye/bash", "a/../b", "/a", "a//b", `a\b`, "a\x00", "tool:", "config:a.b/c", "\u202e", "\xff", "tool:tool:a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ref, err := ParseRef(text)
		if err != nil {
			checkPrintable(t, err.Error())
			return
		}
		if ref.String() != text {
			t.Fatalf("%q is written as %q", text, ref)
		}
		if again, err := ParseRef(ref.String()); err != nil || again != ref {
			t.Fatalf("%q is read again as %+v, %v", text, again, err)
		}
		if strings.HasPrefix(ref.ID, "/") || strings.ContainsAny(ref.ID, "\\:\x00\n") || len(ref.ID) > maxIDLength {
			t.Fatalf("the id %q is accepted", ref.ID)
		}
		for part := range strings.SplitSeq(ref.ID, "/") {
			if part == "" || part == "." || part == ".." {
				t.Fatalf("the id %q is accepted", ref.ID)
			}
		}
		if joined := strings.TrimPrefix(ref.Category()+"/"+ref.Base(), "/"); joined != ref.ID {
			t.Fatalf("%q is not its category and base %q", ref.ID, joined)
		}
	})
}
