package engine

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// target is one file to sign or to verify: an item, or a dependency.
type target struct {
	ref   item.Ref // zero for a dependency
	place space.Place
	dep   chain.Dependency

	// explicit is true when the user named the item by a reference: it must then be one, not a library file.
	explicit bool

	// unsure is true for a file of the tools folder that may be an item or a library file; as says what it is loaded as
	// if it is the latter.
	unsure bool
	as     *chain.Dependency
}

func (t target) isItem() bool { return t.ref.ID != "" }

// isSpec is true for a spec of tests, which is signed as a dependency.
func (t target) isSpec() bool { return !t.isItem() && !t.dep.Folder.Project && isSpec(t.dep.Rel) }

// name is how reports call the target: its reference, or its path for a dependency.
func (t target) name() string {
	if t.isItem() {
		return t.ref.String()
	}
	return t.file()
}

func (t target) file() string {
	if t.isItem() {
		return t.place.Display()
	}
	return t.dep.Display()
}

func (t target) source() (integrity.Source, error) {
	if !t.isItem() {
		return t.dep.Source()
	}
	data, detached, err := t.place.Read()
	return chain.SourceOf(t.place, t.ref.Kind, data, detached), err
}

// asDependency is the same file without its claim to be an item.
func (t target) asDependency() target {
	if t.as != nil {
		return target{dep: *t.as}
	}
	return target{dep: chain.Dependency{
		Folder: chain.Folder{Space: t.place.Space, Rel: path.Dir(t.place.Rel)}, Rel: t.place.Rel,
	}}
}

// targets finds what a pattern means, in these spaces: a reference, a glob over ids, or the path of a file or folder.
func (e *Engine) targets(pattern string, spaces space.Spaces) ([]target, error) {
	if strings.ContainsAny(pattern, "*?[") {
		return e.globTargets(pattern, spaces)
	}
	if file, err := filepath.Abs(pattern); err == nil && !strings.Contains(pattern, ":") {
		if info, err := os.Lstat(file); err == nil && (info.IsDir() || strings.ContainsAny(pattern, "/\\.")) {
			return e.pathTargets(file, info.IsDir(), spaces)
		}
	}
	ref, err := item.ParseRef(pattern)
	if err != nil {
		return nil, err
	}
	if ref, err = e.resolveRef(ref); err != nil {
		return nil, err
	}
	found, err := spaces.Find(ref, false)
	var missing *space.NotFoundError
	if errors.As(err, &missing) {
		return nil, e.targetNotFound(ref, missing, spaces)
	}
	if err != nil {
		return nil, err
	}
	return []target{{ref: ref, place: found.Place, explicit: true}}, nil
}

// targetNotFound tells an item of a space that cannot be written from one that does not exist.
func (e *Engine) targetNotFound(ref item.Ref, missing *space.NotFoundError, spaces space.Spaces) error {
	if found, err := e.spaces.Find(ref, false); err == nil {
		if found.Space.Label == space.System {
			return item.Errorf(item.TypeUsage, "System space items are immutable and cannot be signed. Copy to project or user space first.")
		}
		return item.Errorf(item.TypeNotFound, "%s is in %s space, which was not asked for", ref, found.Space.Label).
			Hint("rye sign --source %s %s", found.Space.Label, ref)
	}
	err := e.notFound(ref, missing)
	for _, s := range spaces {
		err.Hint("searched in %s", s.Display(ref.Kind.Dir()))
	}
	return err
}

// keyDocuments is the folder that no pattern reaches: a trust document counts because someone named it.
const keyDocuments = "config/keys/"

// globTargets matches ids; a pattern without a kind means every kind, and one without a slash any folder.
func (e *Engine) globTargets(pattern string, spaces space.Spaces) ([]target, error) {
	kinds := item.Kinds()
	if name, rest, ok := strings.Cut(pattern, ":"); ok {
		kind, err := item.ParseKind(name)
		if err != nil {
			return nil, err
		}
		kinds, pattern = []item.Kind{kind}, rest
	}
	var found []target
	for _, kind := range kinds {
		entries, err := spaces.List(kind)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Rel, keyDocuments) && matchID(pattern, entry.Ref.ID) {
				found = append(found, target{ref: entry.Ref, place: entry.Place})
			}
		}
	}
	if len(found) == 0 {
		return nil, item.Errorf(item.TypeNotFound, "No items found matching pattern: %s", pattern).Hint("rye list")
	}
	return found, nil
}

func matchID(pattern, id string) bool {
	if !strings.Contains(pattern, "/") {
		if ok, _ := path.Match(pattern, path.Base(id)); ok || pattern == "*" {
			return true
		}
		return false
	}
	if prefix, ok := strings.CutSuffix(pattern, "/**"); ok {
		return strings.HasPrefix(id, prefix+"/")
	}
	ok, _ := path.Match(pattern, id)
	return ok
}

// pathTargets takes one file, or everything below a folder that is an item or that verification would ask for.
func (e *Engine) pathTargets(file string, dir bool, spaces space.Spaces) ([]target, error) {
	if dir {
		all, err := e.allTargets(spaces)
		if err != nil {
			return nil, err
		}
		below := slices.DeleteFunc(all, func(t target) bool {
			rel, err := filepath.Rel(file, t.file())
			return err != nil || !filepath.IsLocal(rel)
		})
		if len(below) == 0 {
			return nil, item.Errorf(item.TypeNotFound, "%s holds no items", file).Hint("rye list")
		}
		return below, nil
	}
	s, rel, ok := spaces.Locate(file)
	if !ok {
		return e.projectFile(file, spaces)
	}
	if isSpec(rel) {
		return []target{{dep: specIn(s, rel)}}, nil
	}
	place := space.Place{Space: s, Rel: rel}
	kind, name, isKind := item.SplitPath(rel)
	ext := path.Ext(name)
	if !isKind {
		return nil, item.Usagef("%s is in no kind's folder: items live in .ai/tools, .ai/directives, .ai/agents, "+
			".ai/knowledge and .ai/config, test specs are the files .ai/tests/**/*.test.yaml", file)
	}
	t := target{ref: item.Ref{Kind: kind, ID: strings.TrimSuffix(name, ext)}, place: place}
	if !kind.HasExtension(ext) || kind == item.Tool && !mentionsItem(place) {
		t = t.asDependency()
	}
	return []target{t}, nil
}

// projectFile is a dependency outside `.ai`, which an anchor at project_path asks for.
func (e *Engine) projectFile(file string, spaces space.Spaces) ([]target, error) {
	project := spaces.Get(space.Project)
	if project == nil {
		return nil, item.Usagef("%s is outside %s", file, space.Dir)
	}
	rel, err := filepath.Rel(project.Base, file)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, item.Usagef("%s is outside the project %s", file, project.Base)
	}
	return []target{{dep: chain.Dependency{
		Folder: chain.Folder{Space: project, Rel: ".", Project: true}, Rel: filepath.ToSlash(rel),
	}}}, nil
}
