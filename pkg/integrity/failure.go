package integrity

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/ryeos/rye/pkg/item"
)

// Reason is a machine-readable word for why a file was refused.
type Reason string

// The reasons, in the order in which a file is checked: the line, the content, the key, the signature.
const (
	BOM            Reason = "bom"             // a byte order mark comes before everything
	Ambiguous      Reason = "ambiguous"       // a .rye-sig beside a file that carries its own line
	NeedsDetached  Reason = "needs_detached"  // a line inside a file that needs a .rye-sig
	Unsigned       Reason = "unsigned"        // no signature at all
	Stripped       Reason = "stripped"        // only a stump of the line is left
	Misplaced      Reason = "misplaced"       // not on line 1, or 2 after a shebang
	Duplicate      Reason = "duplicate"       // a second signature line
	CRLF           Reason = "crlf"            // the line ends in CR LF
	Unterminated   Reason = "unterminated"    // the line does not end at all
	Indented       Reason = "indented"        // white space before the line
	WrongComment   Reason = "wrong_comment"   // another language's comment
	TrailingText   Reason = "trailing_text"   // more text after the fingerprint
	UpperCase      Reason = "upper_case"      // capitals where small letters belong
	Padded         Reason = "padded"          // base64 with =
	LooseBase64    Reason = "loose_base64"    // base64 with bits that mean nothing
	UnknownVersion Reason = "unknown_version" // a format of the future
	V1Refused      Reason = "v1_refused"      // a RYE OS line, which the user has not allowed
	Malformed      Reason = "malformed"       // not of the form of a line in another way
	Modified       Reason = "modified"        // the content has another digest
	Untrusted      Reason = "untrusted"       // no trusted key has the fingerprint
	BadSignature   Reason = "bad_signature"   // nothing that the key has signed
	WrongKind      Reason = "wrong_kind"      // signed as another kind
	Moved          Reason = "moved"           // signed for another path, or time or signature altered
)

// headlines say what is wrong; a place follows each of them.
var headlines = map[Reason]string{
	BOM:            "File starts with a byte order mark, so its signature line is not first",
	Ambiguous:      "Detached signature beside a file that carries its own signature line",
	NeedsDetached:  "Signature line inside a file type that needs a detached signature",
	Unsigned:       "Unsigned item",
	Stripped:       "Signature line is cut short",
	Misplaced:      "Signature line is not the first line (or the one right after #!)",
	Duplicate:      "Second signature line",
	CRLF:           "Signature line ends in CR LF instead of LF",
	Unterminated:   "Signature line has no line end",
	Indented:       "Signature line is indented",
	WrongComment:   "Signature line is in the wrong comment syntax",
	TrailingText:   "Signature line is followed by more text",
	UpperCase:      "Signature line has upper-case letters",
	Padded:         "Signature is base64 with padding",
	LooseBase64:    "Signature is not the shortest base64 of its bytes",
	UnknownVersion: "Signature line has an unknown format version",
	V1Refused:      "Signature line is of the old format 1, which binds neither path nor kind",
	Malformed:      "Signature line is malformed",
	Modified:       "Content modified since signing",
	BadSignature:   "Ed25519 signature verification failed",
	WrongKind:      "Signature is for another kind of item",
	Moved:          "Signature does not fit this kind and path",
}

// Failure says why a file was refused. It is the cause (errors.As) of an *item.Error of type integrity.
type Failure struct {
	Reason Reason
	File   string // as the user sees it
	Kind   item.Kind
	Space  string
	Line   int  // of the line that is wrong, counted from 1; 0 when the whole file is
	Beside bool // the line stands in the detached signature, not in File

	Signer   string // fingerprint in the line, "" when it could not be read
	Owner    string // whose key that is, "" when it is not trusted
	Expected string // for Modified: the hex digest in the line
	Actual   string // for Modified: the hex digest of the content
	Detail   string // what else helps, "" when the headline says it all
}

func malformed(format string, args ...any) *Failure {
	return &Failure{Reason: Malformed, Detail: fmt.Sprintf(format, args...)}
}

// Error is the text of spec/rye-core §7.3 without its "Fix:", which the hints of the *item.Error say.
func (f *Failure) Error() string {
	if f.Reason == Untrusted {
		return fmt.Sprintf("Untrusted key %s for %s\n  Trusted keys: %s", f.Signer, f.where(), f.Detail)
	}
	return headlines[f.Reason] + ": " + f.where() + f.details()
}

func (f *Failure) details() string {
	switch f.Reason {
	case Unsigned:
		return fmt.Sprintf("\n  Kind: %s\n  Expected: %s", f.Kind, f.Detail)
	case Modified:
		return fmt.Sprintf("\n  Expected hash: %.16s…\n  Actual hash: %.16s…", f.Expected, f.Actual)
	case BadSignature:
		return f.signedBy() + "\n  This may indicate the file was tampered with after signing"
	case WrongKind:
		return f.signedBy() + fmt.Sprintf("\n  Signed as a %s, not as a %s", f.Detail, f.Kind)
	case Moved:
		return f.signedBy() + "\n  The file was moved or renamed since signing, or its signature line was altered"
	}
	if f.Detail == "" {
		return ""
	}
	return "\n  " + f.Detail
}

func (f *Failure) signedBy() string {
	owner := f.Owner
	if owner == "" {
		owner = "unknown"
	}
	return fmt.Sprintf("\n  Signed by: %s (%s)", f.Signer, owner)
}

// where is the file and, when one line is to blame, its number.
func (f *Failure) where() string {
	place := f.File
	if f.Beside {
		place += DetachedSuffix
	}
	if f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
	}
	return shown(place)
}

// modified is the Failure for a content whose digest is not the one in its line.
func modified(line Line, actual []byte) *Failure {
	return &Failure{
		Reason: Modified, Signer: line.Signer,
		Expected: hex.EncodeToString(line.Digest[:]), Actual: hex.EncodeToString(actual),
	}
}

// CheckError means that nothing is known about a file's integrity, because something needed for the check could not be
// read. It is not an integrity failure, and developer mode does not waive it.
type CheckError struct {
	File string
	Err  error
}

func (e *CheckError) Error() string {
	return fmt.Sprintf("could not check signatures: %s: %v", shown(e.File), e.Err)
}
func (e *CheckError) Unwrap() error { return e.Err }

func (e *CheckError) asItemError() *item.Error {
	err := &item.Error{Type: item.TypeInternal, Message: e.Error(), Err: e}
	if exposed, ok := errors.AsType[*exposedError](e.Err); ok {
		err.Type = item.TypePermission
		return err.Hint("%s %s", exposed.Command, item.ShellWord(e.File))
	}
	return err.Hint("Make the file readable: ls -l %s", item.ShellWord(e.File))
}

// shown is a file name that cannot steer a terminal.
func shown(name string) string {
	if quoted := strconv.QuoteToGraphic(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
