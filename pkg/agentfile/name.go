package agentfile

import (
	"maps"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// link is a name of the file that leads to another one.
type link struct {
	from, to string
	at       field
}

// names are the keys of a mapping of definitions.
func (r *reader) names(f field) map[string]bool {
	var names map[string]bool
	object, _ := f.value.(*item.Object)
	for name, value := range object.All() {
		if names == nil {
			names = map[string]bool{}
		}
		names[name] = true
		if !snakePattern().MatchString(name) {
			named := f.child(name, value)
			named.failAt(r.tree().Key(named.path...), "must be snake_case: small letters, digits and _")
		}
	}
	return names
}

// SplitName takes the name of a file's prompt or model apart: other/id#name. ok is false for any other text.
func SplitName(text string) (id, name string, ok bool) {
	id, name, ok = strings.Cut(text, "#")
	return id, name, ok && item.ValidateID(id) == nil && snakePattern().MatchString(name)
}

// refer checks the name of a prompt or of a model that must exist.
func (r *reader) refer(f field, name string, model bool) {
	what, names := "prompts", r.prompts
	if model {
		what, names = "models", r.models
	}
	if names[name] {
		return
	}
	if _, _, ok := SplitName(name); ok {
		r.file.Elsewhere = append(r.file.Elsewhere, Mention{name, model, f})
		return
	}
	if strings.Contains(name, "#") {
		f.fail("is not a name of another file: %s; write its id and the name, as in other/agent#name", item.Quote(name))
		return
	}
	hint := "add it there, or name another file's, as in other/agent#name"
	if near := nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	f.fail("names %s, which is not among %s: %s", item.Quote(name), what, hint)
}

func nearest(name string, names map[string]bool) string {
	return item.Suggest(name, slices.Sorted(maps.Keys(names)))
}

// cycles reports each link that leads back to where it came from.
func (r *reader) cycles(links []link, verb string) {
	next := map[string][]link{}
	for _, l := range links {
		next[l.from] = append(next[l.from], l)
	}
	const over = -1
	steps := map[string]int{} // of the way to a name, from 1
	var way []string
	var follow func(name string)
	follow = func(name string) {
		way = append(way, name)
		steps[name] = len(way)
		for _, l := range next[name] {
			switch step := steps[l.to]; {
			case step > 0:
				l.at.fail("leads back to where it came from: %s %s %s", strings.Join(way[step-1:], " "+verb+" "), verb, l.to)
			case step == 0:
				follow(l.to)
			}
		}
		way, steps[name] = way[:len(way)-1], over
	}
	for _, l := range links {
		if steps[l.from] == 0 {
			follow(l.from)
		}
	}
}
