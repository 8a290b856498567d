package integrity

import (
	"errors"
	"path"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/owner"
)

// Ignored is a document that does not make its key trusted.
type Ignored struct {
	Space       string
	File        string // as the user sees it
	Fingerprint string // by the file's name, "" when that is none
	Reason      string // in one line
	Fix         string // the command to type
	Sound       bool   // nothing is wrong with the document: it only needs the user's word
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

// exposedError means that other users of the machine could have written the document.
type exposedError struct{ owner.Exposure }

func (e *exposedError) Error() string { return "it " + e.Reason }

// ignore describes a document that does not count. A sound one only needs the user's word; a broken one must go.
func (source TrustSource) ignore(name string, err error) Ignored {
	file := path.Join(source.Display, name)
	reason, _, _ := strings.Cut(err.Error(), "\n")
	ignored := Ignored{Space: source.Space, File: file, Reason: reason, Fix: "rm " + item.ShellWord(file)}
	if fingerprint := strings.TrimSuffix(name, documentSuffix); isFingerprint(fingerprint) {
		ignored.Fingerprint = fingerprint
	}
	if _, vouch := errors.AsType[*vouchError](err); vouch || err == errNeedsSigner || err == errSelfSigned {
		ignored.Fix, ignored.Sound = "rye keys trust "+item.ShellWord(file), true
	}
	if _, unread := errors.AsType[*CheckError](err); unread {
		ignored.Fix = "ls -l " + item.ShellWord(file)
	}
	if exposed, ok := errors.AsType[*exposedError](err); ok {
		ignored.Fix = exposed.Command + " " + item.ShellWord(file)
	}
	return ignored
}
