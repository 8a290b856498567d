package engine

import "github.com/ryeos/rye/pkg/cas"

// ErrContentHash is wrapped by errors about what is no hash.
var ErrContentHash = cas.ErrHash

// LilluxStore stores a blob or a JSON document in a folder and gives its hash.
func LilluxStore(root string, data []byte, blob bool) (hash string, err error) {
	return cas.New(root).Put(contentKind(blob), data)
}

// LilluxFetch gets what was stored, after a check that it is that.
func LilluxFetch(root, hash string, blob bool) ([]byte, error) {
	return cas.New(root).Get(contentKind(blob), hash)
}

// LilluxHas reports whether a folder has a blob or a document of that hash.
func LilluxHas(root, hash string) (bool, error) { return cas.New(root).Has(hash) }

func contentKind(blob bool) cas.Kind {
	if blob {
		return cas.Blob
	}
	return cas.Object
}
