package engine

import (
	"path/filepath"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/space"
)

// pinnedDir is where private copies of verified files go, below the cache folder.
const pinnedDir = "pinned"

// pin copies the verified bytes of the tool and its dependencies to a private folder and gives the chain and the anchor
// that run from there. Between verification and the interpreter's own reading of its files, nobody can exchange them.
// System items need no pin: they come from the binary and are written to such a folder anyway.
func (e *Engine) pin(c *chain.Chain, a *chain.Anchor, deps chain.Deps) (*chain.Chain, *chain.Anchor, error) {
	files := map[*space.Space]map[string][]byte{}
	add := func(s *space.Space, name string, data []byte) {
		if s.Base == "" {
			return
		}
		if files[s] == nil {
			files[s] = map[string][]byte{}
		}
		files[s][name] = data
	}
	tool := c.Tool()
	add(tool.Place.Space, space.Dir+"/"+tool.Place.Rel, tool.Proof.Bytes())
	for _, f := range deps.Kept {
		add(f.Folder.Space, f.SignedPath(), f.Proof.Bytes())
	}
	copies := map[*space.Space]*space.Space{}
	for s, content := range files {
		dir, err := space.Stage(filepath.Join(e.options.Cache, pinnedDir), content)
		if err != nil {
			return nil, nil, err
		}
		copies[s] = space.OnDisk(s.Label, dir)
	}
	swap := func(s *space.Space) *space.Space {
		if pinned := copies[s]; pinned != nil {
			return pinned
		}
		return s
	}
	pinnedTool, pinnedChain, pinnedAnchor := *tool, *c, *a
	pinnedTool.Place.Space = swap(tool.Place.Space)
	pinnedChain.Elements = append([]*chain.Element{&pinnedTool}, c.Elements[1:]...)
	pinnedAnchor.Dir.Space = swap(a.Dir.Space)
	pinnedAnchor.Lib.Space = swap(a.Lib.Space)
	return &pinnedChain, &pinnedAnchor, nil
}
