package integrity

import (
	"errors"
	"path"
	"strings"
)

// Ignored is a document that does not make its key trusted.
type Ignored struct {
	Space       string
	File        string // as the user sees it
	Fingerprint string // by the file's name, "" when that is none
	Reason      string // in one line
	Fix         string // the command to type
}

var (
	errNeedsSigner = errors.New("a key in project space counts only when a key you already trust has signed its document")
	errSelfSigned  = errors.New("a key in project space cannot vouch for itself")
)

// vouchError means that a document is signed, by somebody unknown.
type vouchError struct{ signer string }

func (e *vouchError) Error() string {
	return "it is signed by the key " + e.signer + ", which is not trusted"
}

// ignore describes a document that does not count. A sound one only needs the user's word; a broken one must go.
func (source TrustSource) ignore(name string, err error) Ignored {
	file := path.Join(source.Display, name)
	reason, _, _ := strings.Cut(err.Error(), "\n")
	ignored := Ignored{Space: source.Space, File: file, Reason: reason, Fix: "rm " + shellWord(file)}
	if fingerprint := strings.TrimSuffix(name, documentSuffix); isFingerprint(fingerprint) {
		ignored.Fingerprint = fingerprint
	}
	if _, vouch := errors.AsType[*vouchError](err); vouch || err == errNeedsSigner || err == errSelfSigned {
		ignored.Fix = "rye keys trust " + shellWord(file)
	}
	if _, unread := errors.AsType[*CheckError](err); unread {
		ignored.Fix = "ls -l " + shellWord(file)
	}
	return ignored
}
