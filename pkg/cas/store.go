package cas

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What callers may want to tell apart; the errors they get wrap these.
var (
	ErrHash     = errors.New("invalid hash: expected 64 hex chars")
	ErrNotFound = errors.New("not found")
	ErrDamaged  = errors.New("the content is not what its hash says")
)

// Kind says how content is kept.
type Kind int

// The kinds of content. The same text as a blob and as an object has two names, and lies in two places.
const (
	Blob   Kind = iota // bytes as they are, in blobs/ab/cd/HASH
	Object             // a JSON document in its canonical form, in objects/ab/cd/HASH.json
)

// Store is a folder of content. Goroutines and processes may share it.
type Store struct{ root string }

// New uses a folder, which is made when something is stored.
func New(root string) *Store { return &Store{root: root} }

// Put stores content and returns its hash: the hex SHA-256 of a blob's bytes, or of an object's canonical form. When it
// returns, the content survives a loss of power. Content that is there already is not written again, unless it is damaged.
func (s *Store) Put(kind Kind, data []byte) (hash string, err error) {
	if kind == Object {
		if data, err = Canonical(data); err != nil {
			return "", err
		}
	}
	hash = hashOf(data)
	if _, err := s.Get(kind, hash); err == nil {
		return hash, nil
	}
	return hash, write(s.path(kind, hash), data)
}

// Get returns content, after a check that it is what the hash says.
func (s *Store) Get(kind Kind, hash string) ([]byte, error) {
	hash, err := parseHash(hash)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(s.path(kind, hash))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNotFound
	case err != nil:
		return nil, err
	case hashOf(data) != hash:
		return nil, fmt.Errorf("%s: %w", hash, ErrDamaged)
	}
	return data, nil
}

// Has reports whether there is a blob or an object of that hash. It does not look at the content.
func (s *Store) Has(hash string) (bool, error) {
	hash, err := parseHash(hash)
	if err != nil {
		return false, err
	}
	for _, kind := range []Kind{Blob, Object} {
		info, err := os.Stat(s.path(kind, hash))
		switch {
		case err == nil && info.Mode().IsRegular():
			return true, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return false, err
		}
	}
	return false, nil
}

func (s *Store) path(kind Kind, hash string) string {
	folder, name := "blobs", hash
	if kind == Object {
		folder, name = "objects", hash+".json"
	}
	return filepath.Join(s.root, folder, hash[:2], hash[2:4], name)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// parseHash gives a hash its one spelling. It is also what keeps a name from leading out of the store.
func parseHash(hash string) (string, error) {
	if sum, err := hex.DecodeString(hash); err != nil || len(sum) != sha256.Size {
		return "", ErrHash
	}
	return strings.ToLower(hash), nil
}
