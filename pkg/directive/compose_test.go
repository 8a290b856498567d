package directive

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// family is the directives of a test, by id: the value is what their <metadata> holds, the part before | their parent.
type family map[string]string

func (f family) load(ref item.Ref) (*Document, error) {
	text, ok := f[ref.ID]
	if !ok {
		return nil, item.Errorf(item.TypeNotFound, "Directive not found: %s", ref.ID).Hint("rye list directive")
	}
	parent, metadata, _ := strings.Cut(text, "|")
	extends := ""
	if parent != "" {
		extends = fmt.Sprintf("extends=%q", parent)
	}
	return Parse(ref.ID+".md", []byte("```xml\n<directive "+extends+"><metadata>"+metadata+"</metadata></directive>\n```\n"))
}

func (f family) compose(t *testing.T, id string) (*Composition, error) {
	t.Helper()
	ref := item.Ref{Kind: item.Directive, ID: id}
	leaf, err := f.load(ref)
	if err != nil {
		t.Fatal(err)
	}
	return Compose(ref, leaf, f.load)
}

func TestCompose(t *testing.T) {
	f := family{
		"root": "|<permissions>*</permissions><context><system>r</system><before>both</before><after>gone</after><suppress>hook_a</suppress></context>",
		"base": "root|<permissions><fetch>*</fetch></permissions><context><before>b</before><after>kept</after><suppress>gone</suppress></context>",
		"leaf": "directive:base|<limits turns='1'/><context><system>l</system><before>both</before><suppress>knowledge:r</suppress></context>",
		"mute": "base|<permissions/>",
		"bare": "|",
	}
	c, err := f.compose(t, "leaf")
	if err != nil {
		t.Fatal(err)
	}
	want := Context{System: []string{"l"}, Before: []string{"both", "b"}, After: []string{"kept"}, Suppress: []string{"hook_a", "gone", "r"}}
	if !reflect.DeepEqual(c.Context, want) {
		t.Errorf("got %+v, want %+v", c.Context, want)
	}
	if got := fmt.Sprint(c.Capabilities(), c.GrantedBy, c.Chain); got != "[rye.fetch.*] directive:base [directive:leaf directive:base directive:root]" {
		t.Errorf("the nearest permissions do not count: %s", got)
	}
	if c, err = f.compose(t, "mute"); err != nil || len(c.Permissions) != 0 || c.GrantedBy.ID != "mute" {
		t.Errorf("an empty <permissions> inherited %v, %v", c, err)
	}
	if c, err = f.compose(t, "bare"); err != nil || c.Permissions != nil || c.GrantedBy != (item.Ref{}) || len(c.Chain) != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestComposeRefuses(t *testing.T) {
	f := family{"a": "b|", "b": "c|", "c": "b|", "self": "self|", "orphan": "lost|", "broken": "bad|", "bad": "|<limits x='1'/>"}
	for i := range 12 {
		f[fmt.Sprint("d", i)] = fmt.Sprintf("d%d|", i+1)
	}
	f["d11"] = "|"
	for id, want := range map[string]string{
		"a":      "Circular extends chain: b (chain: a → b → c)",
		"self":   "Circular extends chain: self (chain: self)",
		"orphan": "Failed to load parent directive 'lost': Directive not found: lost",
		"broken": "Failed to load parent directive 'bad': bad.md:2:23: Unknown limit 'x'",
		"d0":     "Extends chain too long: at most 10 parents are followed (chain: d0 → ",
	} {
		if _, err := f.compose(t, id); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", id, err, want)
		}
	}
	if c, err := f.compose(t, "d1"); err != nil || len(c.Chain) != 11 {
		t.Errorf("ten parents: %v", err)
	}
	_, err := f.compose(t, "orphan")
	if item.TypeOf(err) != item.TypeNotFound || len(item.HintsOf(err)) != 1 {
		t.Errorf("type and hints of the cause are lost: %v", err)
	}
	cause := errors.New("x")
	leaf, _ := f.load(item.Ref{ID: "a"})
	if _, err := Compose(item.Ref{ID: "a"}, leaf, func(item.Ref) (*Document, error) { return nil, cause }); !errors.Is(err, cause) {
		t.Errorf("the cause is lost: %v", err)
	}
}
