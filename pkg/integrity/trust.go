package integrity

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/owner"
)

// maxSigners bounds the chain of documents that vouch for each other.
const maxSigners = 8

// TrustSource is one space's folder of trusted keys.
type TrustSource struct {
	Space          string
	FS             fs.FS  // rooted at the space's .ai/config/keys/trusted, which need not exist
	Display        string // that folder as the user sees it
	NeedsSignature bool   // its documents count only if a key that is trusted without them signed them: a project's
}

// UnknownKeyError means that no document makes the key trusted.
type UnknownKeyError struct {
	Fingerprint string
	Ignored     []Ignored // documents of the key that do not count
	Trusted     []string  // the fingerprints that are trusted
}

func (e *UnknownKeyError) Error() string {
	return "no trusted key has the fingerprint " + shown(e.Fingerprint)
}

// TrustStore finds the keys whose signatures count (design §7). It reads a document when it is asked for its key, and
// parses and verifies one only when its bytes are new. It may be used by many goroutines; the nil store trusts nobody.
type TrustStore struct {
	sources []TrustSource // those that need no signature come first

	mu        sync.Mutex
	documents map[place]*document

	answers *sync.Map // of a snapshot: fingerprint → answer
}

type answer struct {
	key TrustedKey
	err error
}

// place is where a document stands: the index of its source, and the fingerprint that is its name.
type place struct {
	source      int
	fingerprint string
}

// NewTrustStore takes the spaces in the order system, user, project.
func NewTrustStore(sources ...TrustSource) *TrustStore {
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b TrustSource) int {
		switch {
		case a.NeedsSignature == b.NeedsSignature:
			return 0
		case b.NeedsSignature:
			return -1
		}
		return 1
	})
	return &TrustStore{sources: sources, documents: map[place]*document{}}
}

// Snapshot is a store that asks its sources once for each key. It is for verifying many files as of one moment.
func (s *TrustStore) Snapshot() *TrustStore {
	snapshot := NewTrustStore(s.sources...)
	snapshot.answers = &sync.Map{}
	return snapshot
}

// Lookup finds a trusted key. The error is an *UnknownKeyError, or a *CheckError when a document could not be read.
func (s *TrustStore) Lookup(fingerprint string) (TrustedKey, error) {
	if s == nil || s.answers == nil {
		return s.ask(fingerprint)
	}
	if known, ok := s.answers.Load(fingerprint); ok {
		return known.(answer).key, known.(answer).err
	}
	key, err := s.ask(fingerprint)
	s.answers.Store(fingerprint, answer{key, err})
	return key, err
}

func (s *TrustStore) ask(fingerprint string) (TrustedKey, error) {
	key, err := s.lookup(fingerprint, nil)
	if unknown, ok := errors.AsType[*UnknownKeyError](err); ok {
		keys, _ := s.List()
		for _, trusted := range keys {
			unknown.Trusted = append(unknown.Trusted, trusted.Fingerprint)
		}
	}
	return key, err
}

// lookup searches all sources for a key that a file names, and only those that need no signature for a key that
// vouches for the keys in vouched.
func (s *TrustStore) lookup(fingerprint string, vouched []string) (TrustedKey, error) {
	unknown := &UnknownKeyError{Fingerprint: fingerprint}
	if s == nil || !isFingerprint(fingerprint) {
		return TrustedKey{}, unknown
	}
	for i, source := range s.sources {
		if source.NeedsSignature && len(vouched) > 0 {
			break
		}
		doc, err := s.read(i, fingerprint)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = s.admit(source, doc, vouched)
		}
		if err == nil {
			return doc.key, nil
		}
		if check, ok := errors.AsType[*CheckError](err); ok {
			return TrustedKey{}, check
		}
		unknown.Ignored = append(unknown.Ignored, source.ignore(fingerprint+documentSuffix, err))
	}
	return TrustedKey{}, unknown
}

// admit decides whether a document makes its key trusted; the error says why not.
func (s *TrustStore) admit(source TrustSource, doc *document, vouched []string) error {
	if doc.err != nil {
		return doc.err
	}
	fingerprint, signer := doc.key.Fingerprint, doc.key.Signer
	switch {
	case signer == "" && source.NeedsSignature:
		return errNeedsSigner
	case signer == "":
		return nil
	case signer == fingerprint && source.NeedsSignature:
		return errSelfSigned
	case signer == fingerprint:
		return doc.verify(doc.key.Key)
	case slices.Contains(vouched, signer) || len(vouched) >= maxSigners:
		return errors.New("its signers only vouch for each other")
	}
	by, err := s.lookup(signer, append(slices.Clone(vouched), fingerprint))
	if _, ok := errors.AsType[*UnknownKeyError](err); ok {
		return &vouchError{signer}
	}
	if err != nil {
		return err
	}
	return doc.verify(by.Key)
}

// List reads every document: the keys that are trusted, each once and in the order of their spaces, and the documents
// that do not count.
func (s *TrustStore) List() (keys []TrustedKey, ignored []Ignored) {
	if s == nil {
		return nil, nil
	}
	seen := map[string]bool{}
	for i, source := range s.sources {
		entries, err := fs.ReadDir(source.FS, ".")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			ignored = append(ignored, source.ignore("", err))
		}
		for _, entry := range entries {
			if path.Ext(entry.Name()) != documentSuffix {
				continue
			}
			doc, err := s.readEntry(i, entry.Name())
			if err == nil {
				err = s.admit(source, doc, nil)
			}
			switch {
			case err != nil:
				ignored = append(ignored, source.ignore(entry.Name(), err))
			case !seen[doc.key.Fingerprint]:
				seen[doc.key.Fingerprint] = true
				keys = append(keys, doc.key)
			}
		}
	}
	// Who has given the word for a key in user space has nothing left to do about a project's document of it.
	ignored = slices.DeleteFunc(ignored, func(i Ignored) bool { return i.Sound && seen[i.Fingerprint] })
	return keys, ignored
}

func (s *TrustStore) readEntry(source int, name string) (*document, error) {
	fingerprint := strings.TrimSuffix(name, documentSuffix)
	if !isFingerprint(fingerprint) {
		return nil, fmt.Errorf("its name is not a fingerprint of %d lower-case hex digits", fingerprintLength)
	}
	return s.read(source, fingerprint)
}

// read returns the document of a key in one source, from the cache if its bytes are the same. The error is
// fs.ErrNotExist or a *CheckError; a document that is wrong in itself carries that in err.
func (s *TrustStore) read(i int, fingerprint string) (*document, error) {
	source, name := s.sources[i], fingerprint+documentSuffix
	display := path.Join(source.Display, name)
	data, err := readDocument(source.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, &CheckError{File: display, Err: err}
	}
	at := place{i, fingerprint}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cached := s.documents[at]; cached != nil && bytes.Equal(cached.data, data) {
		return cached, nil
	}
	doc := newDocument(data, fingerprint)
	doc.key.Space, doc.key.File = source.Space, display
	s.documents[at] = doc
	return doc, nil
}

// readDocument reads a regular file of bounded size, so that a pipe or a device in its place cannot block.
func readDocument(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, err
	}
	if e := owner.Exposed(info); e.Reason != "" {
		return nil, &exposedError{e}
	}
	return io.ReadAll(io.LimitReader(file, maxDocument+1))
}
