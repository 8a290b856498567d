// Command sign-system signs the system items in .ai with a key made for this one signing. Only the public half is kept,
// as the trust document that ships with the items; the private half is never written anywhere.
package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

const trusted = "config/keys/trusted"

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "sign-system:", err)
		os.Exit(1)
	}
}

func run(base string) error {
	key, err := integrity.NewKey()
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	system := space.OnDisk(space.Project, base)
	signed := 0
	for _, kind := range item.Kinds() {
		files, err := system.Files(kind.Dir())
		if err != nil {
			return err
		}
		for _, rel := range files {
			if strings.HasPrefix(rel, trusted) {
				continue
			}
			if err := sign(system, key, kind, rel, now); err != nil {
				return err
			}
			signed++
		}
	}
	if err := publish(system, key, now); err != nil {
		return err
	}
	fmt.Printf("signed %d system items with key %s\n", signed, key.Public().Fingerprint())
	return nil
}

// sign writes one file's signature, after the checks that rye sign makes.
func sign(system *space.Space, key *integrity.Key, kind item.Kind, rel string, now time.Time) error {
	data, err := system.ReadFile(rel)
	if err != nil {
		return err
	}
	_, name, _ := item.SplitPath(rel)
	file := filepath.Join(system.Root(), filepath.FromSlash(rel))
	meta, err := item.ParseMetadata(kind, file, data)
	if err != nil {
		return err
	}
	signedPath := name
	if item.IsItem(kind, meta) && kind.HasExtension(path.Ext(name)) {
		ref := item.Ref{Kind: kind, ID: strings.TrimSuffix(name, path.Ext(name))}
		for _, issue := range item.Validate(ref, file, meta) {
			err = errors.Join(err, fmt.Errorf("%s: %s", file, issue.Message))
		}
		if err != nil {
			return err
		}
	} else {
		kind, signedPath = item.Dependency, space.Dir+"/"+rel
	}
	inline, detached, err := integrity.Sign(key, kind, signedPath, file, data, now)
	if err != nil {
		return err
	}
	if detached != nil {
		return space.WriteFile(system.Root(), rel+space.SignatureExtension, detached)
	}
	return space.WriteFile(system.Root(), rel, inline)
}

// publish replaces the trust documents of earlier signings by this key's.
func publish(system *space.Space, key *integrity.Key, now time.Time) error {
	doc, err := integrity.TrustDocument(key.Public(), "rye", "", key, now)
	if err != nil {
		return err
	}
	dir := filepath.Join(system.Root(), filepath.FromSlash(trusted))
	old, err := filepath.Glob(filepath.Join(dir, "*.toml"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return space.WriteFile(dir, key.Public().Fingerprint()+".toml", doc)
}
