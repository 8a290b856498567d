package integrity

import (
	"encoding/hex"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// Verified is a file that a Verifier let pass. Only a Verifier makes one that is Valid, so a function that takes a
// Verified cannot be called with unchecked bytes. The zero value is "not verified".
type Verified struct {
	valid  bool
	id     identity
	data   []byte
	digest [32]byte
	line   Line
	owner  string
	waived error
}

// Valid reports whether a Verifier let the file pass, by a good signature or by a waiver (see Waived).
func (v Verified) Valid() bool { return v.valid }

// Bytes is the whole file that was verified, signature line included. It must not be modified.
func (v Verified) Bytes() []byte { return v.data }

// Digest is the hex SHA-256 of all bytes except the signature line, in every version of the format.
func (v Verified) Digest() string {
	if !v.valid {
		return ""
	}
	return hex.EncodeToString(v.digest[:])
}

// Kind is what the file was accepted as: after VerifyDependency, item.Dependency or the kind of an item.
func (v Verified) Kind() item.Kind { return v.id.kind }

// Path is the path that the file was accepted under, in the form that goes with Kind (see Source.Path).
func (v Verified) Path() string { return v.id.path }

// Signer is the fingerprint of the key that signed, "" for a waived file.
func (v Verified) Signer() string { return v.line.Signer }

// Owner is whose key that is, according to its trust document.
func (v Verified) Owner() string { return v.owner }

// SignedAt is the time in the signature line, zero for a waived file. Version 1 does not sign it.
func (v Verified) SignedAt() time.Time { return v.line.SignedAt }

// Version is the format of the signature: 2, 1, or 0 for a waived file. A signature of version 1 binds neither kind nor
// path: the caller must then check that the metadata's category and name match the path. Nor does it cover all bytes
// (spec/rye-core §7.2): not the shebang of a tool, the front matter of knowledge, the prompt of a directive.
func (v Verified) Version() int { return v.line.Version }

// Waived is the failure that developer mode let pass, or nil.
func (v Verified) Waived() error { return v.waived }
