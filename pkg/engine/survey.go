package engine

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// allTargets lists every item of the spaces, the specs of the project's tests if the project is one of them, and every
// dependency that the tools' verification would ask for. Ten thousand tools must not cost ten thousand parsed chains, so
// files are only read and searched for the words that metadata cannot do without; who works on a target parses it if it
// has to.
func (e *Engine) allTargets(spaces space.Spaces) ([]target, error) {
	var all []target
	for _, kind := range item.Kinds() {
		entries, err := spaces.List(kind)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Rel, keyDocuments) {
				all = append(all, target{ref: entry.Ref, place: entry.Place, unsure: kind == item.Tool})
			}
		}
	}
	if slices.Contains(spaces, e.writableSpace(space.Project)) {
		specs, err := e.projectSpecs()
		if err != nil {
			return nil, err
		}
		for _, spec := range specs {
			all = append(all, target{dep: spec})
		}
	}
	s := &survey{engine: e, spaces: spaces, marked: map[chain.Folder]bool{}}
	all = s.read(all)
	index := map[string]int{}
	for i, t := range all {
		index[t.file()] = i
	}
	for _, t := range all {
		if !s.mayHaveDependencies(t) {
			continue
		}
		for _, dep := range e.dependenciesOf(t) {
			file := dep.Display()
			if i, known := index[file]; known {
				all[i].as = &dep
				continue
			}
			index[file] = len(all)
			all = append(all, target{dep: dep})
		}
	}
	return all, nil
}

// survey finds out which tools may have dependencies.
type survey struct {
	engine  *Engine
	spaces  space.Spaces          // those whose files are targets
	markers []string              // of every anchor that is declared anywhere
	always  bool                  // some anchor needs no marker
	marked  map[chain.Folder]bool // whether a marker stands in a folder or above it
}

// read drops the tool files that cannot be items because no key of an item occurs in them, and gathers the anchors. A
// library file that was dropped comes back as a dependency when a tool asks for it.
func (s *survey) read(all []target) []target {
	kept := make([]bool, len(all))
	anchors := make([]*item.Anchor, len(all))
	forEach(len(all), nil, func(i int) {
		t := all[i]
		if t.ref.Kind != item.Tool {
			kept[i] = true
			return
		}
		data, err := t.place.Space.ReadFile(t.place.Rel)
		kept[i] = err != nil || mentions(data, itemKeys...)
		if kept[i] && mentions(data, "anchor") {
			anchors[i] = anchorOf(t, data)
		}
	})
	s.addAnchors(anchors)
	var items []target
	for i, t := range all {
		if kept[i] {
			items = append(items, t)
		}
	}
	return items
}

func anchorOf(t target, data []byte) *item.Anchor {
	meta, err := item.ParseMetadata(t.ref.Kind, t.place.Display(), data)
	if err != nil {
		return nil
	}
	return meta.Anchor
}

// addAnchors also counts the anchors of spaces that were not asked for: a project's tool runs on the user's and the
// system's runtimes. Nothing outside the project depends on the project.
func (s *survey) addAnchors(found []*item.Anchor) {
	if entries, err := s.engine.spaces.List(item.Tool); err == nil {
		for _, entry := range entries {
			if entry.Space.Label == space.Project || slices.Contains(s.spaces, entry.Space) {
				continue
			}
			if data, err := entry.Space.ReadFile(entry.Rel); err == nil && mentions(data, "anchor") {
				found = append(found, anchorOf(target{ref: entry.Ref, place: entry.Place}, data))
			}
		}
	}
	for _, a := range found {
		if a != nil && a.Enabled {
			s.markers = append(s.markers, a.MarkersAny...)
			s.always = s.always || a.Mode == "always"
		}
	}
}

// itemKeys are the keys of which a tool declares at least one (item.IsItem).
var itemKeys = []string{"executor_id", "tool_type"}

// mentionsItem is false for a file of the tools folder that cannot be an item. What it holds need not even parse.
func mentionsItem(p space.Place) bool {
	data, err := p.Space.ReadFile(p.Rel)
	return err != nil || mentions(data, itemKeys...)
}

func mentions(data []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(data, []byte(w)) || bytes.Contains(data, []byte(strings.ToUpper(w))) {
			return true
		}
	}
	return false
}

// mayHaveDependencies is true when a tool stands below a marker, or an anchor may be active without one.
func (s *survey) mayHaveDependencies(t target) bool {
	if t.ref.Kind != item.Tool {
		return false
	}
	return s.always || s.isMarked(chain.Folder{Space: t.place.Space, Rel: path.Dir(t.place.Rel)})
}

func (s *survey) isMarked(dir chain.Folder) bool {
	if known, ok := s.marked[dir]; ok {
		return known
	}
	marked := false
	for _, m := range s.markers {
		if marked = dir.Has(m); marked {
			break
		}
	}
	if !marked && dir.Rel != item.Tool.Dir() && dir.Rel != "." {
		marked = s.isMarked(chain.Folder{Space: dir.Space, Rel: path.Dir(dir.Rel)})
	}
	s.marked[dir] = marked
	return marked
}

// isLibrary tells a library file from an item. A file that does not parse counts as an item, so that its error is
// reported.
func isLibrary(t target, data []byte) bool {
	meta, err := item.ParseMetadata(t.ref.Kind, t.file(), data)
	return err == nil && !item.IsItem(t.ref.Kind, meta)
}

// dependenciesOf lists the files that running the tool would verify; none when its chain does not resolve, which
// signing or verifying the tool itself reports. Files of other spaces are signed there.
func (e *Engine) dependenciesOf(t target) []chain.Dependency {
	c, err := e.resolver.Inspect(t.ref)
	if err != nil || c.Tool().Place != t.place {
		return nil
	}
	anchor, err := e.resolver.Anchor(c)
	if err != nil {
		return nil
	}
	files, err := e.resolver.DependencyFiles(c, anchor)
	if err != nil {
		return nil
	}
	var own []chain.Dependency
	for _, d := range files {
		if d.Folder.Space == t.place.Space {
			own = append(own, d)
		}
	}
	return own
}
