package confine

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGrants: a rule never stands on a path above a protected one, but for listing.
func TestGrants(t *testing.T) {
	dir := RealPath(t.TempDir())
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range []string{".ai/config/keys", ".ai/tools", "src/deep", "temp"} {
		if err := os.MkdirAll(at(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at(".ai/config/keys"), at("link")); err != nil {
		t.Fatal(err)
	}
	p := Policy{Temp: at("temp"), Hidden: []string{at(".ai/config/keys")}, Fixed: []string{at(".ai")}}
	for _, c := range []struct {
		name        string
		read, write []string
		want        map[string]uint64 // of the tree, without temp
		skipped     string
	}{
		{
			"read all", []string{dir}, nil,
			map[string]uint64{"": listing, ".ai": listing, ".ai/config": listing, ".ai/tools": reading, "src": reading}, "",
		},
		{"write all", nil, []string{dir}, map[string]uint64{"": listing, "src": reading | writing}, ""},
		{"a part", []string{at("src")}, []string{at("src/deep")}, map[string]uint64{"src": reading, "src/deep": reading | writing}, ""},
		{"keys", []string{at(".ai/config/keys")}, nil, map[string]uint64{}, "keys: rye keeps it"},
		{"items", []string{at(".ai/tools")}, []string{at(".ai/tools")}, map[string]uint64{".ai/tools": reading}, "tools: rye keeps it"},
	} {
		p.Read, p.Write = c.read, c.write
		g := newGrants(p)
		got := map[string]uint64{}
		for path, rights := range g.rights {
			if Inside(dir, path) && path != p.Temp {
				got[strings.TrimPrefix(path[len(dir):], "/")] = rights
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: got %#x, want %#x", c.name, got, c.want)
		}
		if skipped := strings.Join(g.skipped, "\n"); !strings.Contains(skipped, c.skipped) || c.skipped == "" && skipped != "" {
			t.Errorf("%s: skipped %q", c.name, skipped)
		}
	}
}

// TestGrantsMissingProtected: a protected folder that is not there yet cannot be made.
func TestGrantsMissingProtected(t *testing.T) {
	dir := RealPath(t.TempDir())
	g := newGrants(Policy{Write: []string{dir}, Temp: filepath.Join(dir, "temp"), Fixed: []string{filepath.Join(dir, ".ai")}})
	if g.rights[dir] != listing {
		t.Errorf("the folder has the rights %#x", g.rights[dir])
	}
}
