package integrity

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

var signedAt = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// testKey is the same key for the same number, so that failures can be repeated.
func testKey(number byte) *Key {
	return newKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{number}, ed25519.SeedSize)))
}

// documentOf is a trust document, as the map that a TrustSource reads.
func documentOf(t testing.TB, key *Key, owner string, signer *Key) fstest.MapFS {
	t.Helper()
	data, err := TrustDocument(key.Public(), owner, "", signer, signedAt)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{key.Public().Fingerprint() + ".toml": {Data: data}}
}

func join(maps ...fstest.MapFS) fstest.MapFS {
	all := fstest.MapFS{}
	for _, m := range maps {
		for name, file := range m {
			all[name] = file
		}
	}
	return all
}

// trusting is a store with one key in the user space.
func trusting(t testing.TB, key *Key) *TrustStore {
	return NewTrustStore(TrustSource{Space: "user", FS: documentOf(t, key, "ann", nil), Display: "keys"})
}

// sign returns a Source of content that has been signed.
func sign(t testing.TB, key *Key, kind item.Kind, name, content string) Source {
	t.Helper()
	signed, detached, err := Sign(key, kind, name, name, []byte(content), signedAt)
	if err != nil {
		t.Fatal(err)
	}
	return Source{
		Kind: kind, Path: name, File: ".ai/" + kind.Dir() + "/" + name, Space: "project",
		Ref:  string(kind) + ":" + strings.TrimSuffix(name, path.Ext(name)),
		Data: signed, Detached: detached,
	}
}

// failureOf asserts the shape that every integrity error has and returns its two halves.
func failureOf(t testing.TB, err error) (*item.Error, *Failure) {
	t.Helper()
	var e *item.Error
	var failure *Failure
	if !errors.As(err, &e) || e.Type != item.TypeIntegrity || !errors.As(err, &failure) {
		t.Fatalf("not an integrity failure: %v", err)
	}
	return e, failure
}
