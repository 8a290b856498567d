package chain

import (
	"io/fs"
	"path"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// Anchor is the folder that a tool's modules are loaded from (design §2 rows 6 and 7).
type Anchor struct {
	Active bool
	Spec   *item.Anchor // nil when no element of the chain declares an anchor
	Dir    Folder       // the tool's own folder while inactive
	Lib    Folder       // zero when the anchor declares no lib
}

// Folder is a folder of a space, or of the project itself when Space.Base holds it outside `.ai`.
type Folder struct {
	Space   *space.Space
	Rel     string // slash path below `.ai`; below the project folder when Project is true
	Project bool
}

// Path is where the folder is on disk; folders of the system space are written to the cache first.
func (f Folder) Path() (string, error) {
	switch {
	case f.Space == nil:
		return "", nil
	case f.Project:
		return f.Space.Base, nil
	}
	return f.Space.Materialise(f.Rel)
}

// Display is the folder as people see it.
func (f Folder) Display() string {
	if f.Project {
		return f.Space.Base
	}
	return f.Space.Display(f.Rel)
}

func (f Folder) stat(name string) (fs.FileInfo, error) {
	fsys, err := f.Space.FS()
	if err != nil {
		return nil, err
	}
	return fs.Stat(fsys, path.Join(f.Rel, name))
}

// Has reports whether a file or folder of that name is in the folder.
func (f Folder) Has(name string) bool {
	_, err := f.stat(name)
	return err == nil
}

// holds reports whether there is a folder of that name. A file is none: interpreters take archives for folders, and
// nobody verifies what is in them.
func (f Folder) holds(name string) bool {
	info, err := f.stat(name)
	return err == nil && info.IsDir()
}

// Anchor decides whether the chain's anchor is active and where it is.
func (r *Resolver) Anchor(c *Chain) (*Anchor, error) {
	tool := c.Tool()
	if tool.Primitive() {
		return &Anchor{}, nil
	}
	toolDir := Folder{Space: tool.Place.Space, Rel: path.Dir(tool.Place.Rel)}
	a := &Anchor{Dir: toolDir}
	owner := c.First(func(m *item.Metadata) bool { return m.Anchor != nil })
	if owner == nil {
		return a, nil
	}
	a.Spec = owner.Meta.Anchor
	found := toolDir
	switch {
	case !a.Spec.Enabled || a.Spec.Mode == "never":
	case a.Spec.Mode == "always":
		a.Active = true
	default:
		found, a.Active = findMarker(toolDir, a.Spec.MarkersAny)
	}
	if a.Active {
		a.Dir = r.anchorRoot(a.Spec.Root, toolDir, found)
	}
	return a, a.findLib(owner)
}

// findMarker walks up from the tool's folder to the space's tools folder; the first folder that holds a marker wins.
func findMarker(dir Folder, markers []string) (Folder, bool) {
	for {
		for _, m := range markers {
			if dir.Has(m) {
				return dir, true
			}
		}
		if dir.Rel == item.Tool.Dir() || dir.Rel == "." {
			return dir, false
		}
		dir.Rel = path.Dir(dir.Rel)
	}
}

func (r *Resolver) anchorRoot(root string, toolDir, found Folder) Folder {
	switch root {
	case "tool_parent":
		return Folder{Space: toolDir.Space, Rel: path.Dir(toolDir.Rel)}
	case "project_path":
		if project := r.Spaces.Get(space.Project); project != nil {
			return Folder{Space: project, Rel: ".", Project: true}
		}
	}
	return found
}

// findLib takes <anchor>/<lib> if that folder exists, else <folder of the element that declares the anchor>/<lib>.
func (a *Anchor) findLib(owner *Element) error {
	if a.Spec.Lib == "" {
		return nil
	}
	if a.Active && !a.Dir.Project && !path.IsAbs(a.Spec.Lib) && a.Dir.holds(a.Spec.Lib) {
		a.Lib = Folder{Space: a.Dir.Space, Rel: path.Join(a.Dir.Rel, a.Spec.Lib)}
	} else {
		a.Lib = Folder{Space: owner.Place.Space, Rel: path.Join(path.Dir(owner.Place.Rel), a.Spec.Lib)}
	}
	if path.IsAbs(a.Spec.Lib) || !strings.HasPrefix(a.Lib.Rel+"/", item.Tool.Dir()+"/") {
		return item.Errorf(item.TypeChain, "anchor.lib %q of %s leads out of the tools folder", a.Spec.Lib, owner.ID)
	}
	return nil
}
