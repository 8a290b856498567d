package engine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// KeyInfo describes one key; private halves are never part of it.
type KeyInfo struct {
	Fingerprint string `json:"fingerprint"`
	Owner       string `json:"owner,omitempty"`
	Space       string `json:"space,omitempty"` // whose document makes it trusted
	Path        string `json:"path,omitempty"`
	Signing     bool   `json:"signing,omitempty"` // it is the key that rye sign uses
	Trusted     bool   `json:"trusted"`
	PublicKey   string `json:"public_key,omitempty"`
	Attestation string `json:"attestation,omitempty"`
}

// KeyList is every trusted key, and the documents that do not count.
type KeyList struct {
	Keys    []KeyInfo `json:"keys"`
	Ignored []Ignored `json:"ignored,omitempty"`
}

// GenerateKey makes the user's signing key and trusts it. With force an existing key is replaced; what it signed stays
// trusted as long as its document does.
func (e *Engine) GenerateKey(force bool) (*KeyInfo, error) {
	key, err := integrity.GenerateKey(e.options.KeyDir, force)
	if err != nil {
		return nil, err
	}
	return e.adopt(key)
}

// ImportKey makes a PKCS#8 PEM private key the user's signing key and trusts it.
func (e *Engine) ImportKey(pem []byte, force bool) (*KeyInfo, error) {
	key, err := integrity.ImportKey(e.options.KeyDir, pem, force)
	if err != nil {
		return nil, err
	}
	return e.adopt(key)
}

func (e *Engine) adopt(key *integrity.Key) (*KeyInfo, error) {
	info, err := e.trustKey(key.Public(), "local", "", space.User)
	if err != nil {
		return nil, err
	}
	info.Signing = true
	return info, nil
}

// Keys lists the trusted keys of all spaces.
func (e *Engine) Keys() (*KeyList, error) {
	own := ""
	if key, err := integrity.LoadKey(e.options.KeyDir); err == nil {
		own = key.Public().Fingerprint()
	}
	trusted, _ := e.trust.List()
	list := &KeyList{Keys: []KeyInfo{}, Ignored: e.ignoredKeys()}
	for _, k := range trusted {
		list.Keys = append(list.Keys, keyInfo(k, k.Fingerprint == own))
		if k.Fingerprint == own {
			own = ""
		}
	}
	if own != "" {
		list.Keys = append(list.Keys, KeyInfo{Fingerprint: own, Signing: true, Path: e.options.KeyDir})
	}
	return list, nil
}

func keyInfo(k integrity.TrustedKey, signing bool) KeyInfo {
	return KeyInfo{
		Fingerprint: k.Fingerprint, Owner: k.Owner, Space: k.Space, Path: k.File, Signing: signing, Trusted: true,
		PublicKey: string(k.Key.PEM()), Attestation: k.Attestation,
	}
}

// Key describes one key: the user's own when fingerprint is empty.
func (e *Engine) Key(fingerprint string) (*KeyInfo, error) {
	own, ownErr := integrity.LoadKey(e.options.KeyDir)
	if fingerprint == "" {
		if ownErr != nil {
			return nil, ownErr
		}
		fingerprint = own.Public().Fingerprint()
	}
	signing := ownErr == nil && own.Public().Fingerprint() == fingerprint
	trusted, err := e.trust.Lookup(fingerprint)
	if err == nil {
		info := keyInfo(trusted, signing)
		return &info, nil
	}
	if signing {
		return &KeyInfo{Fingerprint: fingerprint, Signing: true, Path: e.options.KeyDir, PublicKey: string(own.Public().PEM())}, nil
	}
	return nil, item.Errorf(item.TypeNotFound, "%w", err).Hint("rye keys list")
}

// TrustFile trusts the key in a file: a public key in PEM, or a trust document such as a project ships.
func (e *Engine) TrustFile(file, owner string, label space.Label) (*KeyInfo, error) {
	data, err := readKeyDocument(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, item.Errorf(item.TypeNotFound, "no such file: %s", file)
	}
	if err != nil {
		return nil, err
	}
	pub, err := integrity.ParsePublicKey(data)
	attestation := ""
	if err != nil {
		doc, docErr := integrity.ReadTrustDocument(data)
		if docErr != nil {
			return nil, item.Usagef("%s is neither a public key in PEM nor a trust document: %w", file, docErr)
		}
		pub, attestation = doc.Key, doc.Attestation
		if owner == "" {
			owner = doc.Owner
		}
	}
	if owner == "" {
		owner = "unknown"
	}
	return e.trustKey(pub, owner, attestation, label)
}

// maxKeyDocument bounds a key or a trust document, in bytes.
const maxKeyDocument = 64 << 10

// readKeyDocument reads what the user named; that may be a pipe.
func readKeyDocument(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxKeyDocument))
}

// TrustOwn trusts the user's own signing key.
func (e *Engine) TrustOwn(owner string, label space.Label) (*KeyInfo, error) {
	key, err := integrity.LoadKey(e.options.KeyDir)
	if err != nil {
		return nil, err
	}
	if owner == "" {
		owner = "local"
	}
	return e.trustKey(key.Public(), owner, "", label)
}

// trustKey writes the document, signed with the user's key, if there is one, so that later changes to it are noticed.
func (e *Engine) trustKey(pub *integrity.PublicKey, owner, attestation string, label space.Label) (*KeyInfo, error) {
	signer, err := integrity.LoadKey(e.options.KeyDir)
	if noKey(err) && label == space.User {
		signer, err = nil, nil // a machine that only verifies has no key of its own
	}
	if err != nil {
		return nil, err
	}
	if label != space.User && label != space.Project {
		return nil, item.Usagef("keys are trusted in user or project space, not in %q", label)
	}
	s := e.writableSpace(label)
	doc, err := integrity.TrustDocument(pub, owner, attestation, signer, e.options.Now())
	if err != nil {
		return nil, err
	}
	if err := space.MakeFolder(s.Root(), trustedDir); err != nil {
		return nil, err
	}
	name := trustedDir + "/" + pub.Fingerprint() + ".toml"
	if err := space.WriteFile(s.Root(), name, doc); err != nil {
		return nil, err
	}
	return &KeyInfo{
		Fingerprint: pub.Fingerprint(), Owner: owner, Space: string(label), Path: s.Display(name), Trusted: true,
	}, nil
}

// noKey tells that there is no signing key from one that cannot be used.
func noKey(err error) bool { return err != nil && item.TypeOf(err) == item.TypeNotFound }

// Untrust removes the documents of a key from user and project space. System keys stay: they belong to the binary.
func (e *Engine) Untrust(fingerprint string) (*KeyInfo, error) {
	if len(fingerprint) != 16 {
		return nil, item.Usagef("%s is no fingerprint: one has 16 hex digits", item.Quote(fingerprint)).Hint("rye keys list")
	}
	removed := ""
	for _, s := range e.spaces {
		if s.Base == "" {
			continue
		}
		name := trustedDir + "/" + filepath.Base(fingerprint) + ".toml"
		switch err := space.RemoveBelow(s.Root(), name); {
		case err == nil:
			removed = s.Display(name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	if removed != "" {
		return &KeyInfo{Fingerprint: fingerprint, Path: removed}, nil
	}
	if k, err := e.trust.Lookup(fingerprint); err == nil {
		return nil, item.Usagef("key %s belongs to the %s space and cannot be removed", fingerprint, k.Space)
	}
	return nil, item.Errorf(item.TypeNotFound, "no trusted key %s", fingerprint).Hint("rye keys list")
}
