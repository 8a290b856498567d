package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// devices can be read and written, sources of chance only be read.
var (
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts"}
	chance  = []string{"/dev/random", "/dev/urandom"}
)

// grants are Landlock's rules in the making. A rule holds for everything below its path and nothing can be taken out
// again, so a folder above a protected path is granted entry by entry, without the one that leads there.
type grants struct {
	rights  map[string]uint64
	hidden  []string
	fixed   []string
	named   []string // by the policy: only they are reported
	skipped []string
}

func newGrants(p Policy) *grants {
	g := &grants{rights: map[string]uint64{}, fixed: p.Fixed, named: slices.Concat(p.Read, p.Write)}
	for _, path := range p.Hidden {
		if _, err := os.Lstat(path); err == nil { // what does not exist cannot be read, nor made where it is Fixed
			g.hidden = append(g.hidden, path)
		}
		g.fixed = append(g.fixed, path)
	}
	for _, set := range []struct {
		paths  []string
		rights uint64
	}{{systemFolders, reading}, {chance, reading}, {devices, device}} {
		for _, path := range set.paths {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				g.add(real, set.rights)
			}
		}
	}
	for _, path := range p.Read {
		g.add(path, reading)
	}
	for _, path := range p.Write {
		g.add(path, reading|writing)
	}
	g.rights[p.Temp] |= reading | writing
	return g
}

// add grants rights on a path, as far as nothing protected is in the way.
func (g *grants) add(path string, rights uint64) {
	protected := g.hidden
	if rights&writing != 0 {
		protected = g.fixed
	}
	if slices.ContainsFunc(protected, func(p string) bool { return Inside(p, path) }) {
		g.skip(path, "rye keeps it from tools")
		return
	}
	if !slices.ContainsFunc(protected, func(p string) bool { return Inside(path, p) }) {
		g.rights[path] |= rights
		return
	}
	// Listing cannot be limited to one level; names below are not a secret, contents are.
	g.rights[path] |= rights & listing
	entries, err := os.ReadDir(path)
	if err != nil {
		g.skip(path, err.Error())
		return
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 { // where a link leads is granted, or not, where it leads
			g.add(filepath.Join(path, e.Name()), rights)
		}
	}
}

// skip notes that a path of the policy was not granted.
func (g *grants) skip(path, reason string) {
	if slices.Contains(g.named, path) {
		g.skipped = append(g.skipped, path+": "+reason)
	}
}
