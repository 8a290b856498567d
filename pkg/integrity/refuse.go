package integrity

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// refuse turns what check has found into the error that callers get.
func refuse(err error, src Source, kind item.Kind) *item.Error {
	failure, known := errors.AsType[*Failure](err)
	var hints []string
	if !known {
		unknown, _ := errors.AsType[*UnknownKeyError](err)
		failure = &Failure{Reason: Untrusted, Signer: unknown.Fingerprint, Detail: "none"}
		if len(unknown.Trusted) > 0 {
			failure.Detail = strings.Join(unknown.Trusted, ", ")
		}
		hints = trustHints(unknown)
	}
	failure.File, failure.Kind, failure.Space = src.File, kind, src.Space
	if src.System {
		hints = []string{"The items that ship with rye are damaged, install rye again: rye doctor"}
	} else {
		hints = append(hints, failure.signHints(src)...)
	}
	return &item.Error{Type: item.TypeIntegrity, Message: failure.Error(), Hints: hints, Err: failure}
}

// trustHints name the document that would make the key trusted, when the project brings one.
func trustHints(unknown *UnknownKeyError) []string {
	if len(unknown.Ignored) == 0 {
		return []string{"If you know whose key " + unknown.Fingerprint + " is, get its document: rye keys trust FILE"}
	}
	var hints []string
	for _, ignored := range unknown.Ignored {
		hints = append(hints, fmt.Sprintf("A document of this key does not count (%s): %s", ignored.Reason, ignored.Fix))
	}
	return hints
}

// signHints say how to get a signature that holds.
func (f *Failure) signHints(src Source) []string {
	sign := "rye sign " + item.ShellWord(src.Ref)
	if src.Ref == "" {
		sign = "rye sign " + item.ShellWord(src.File)
	}
	switch f.Reason {
	case BOM:
		if f.Beside {
			return []string{sign}
		}
		return []string{"Save the file as UTF-8 without a byte order mark, then: " + sign}
	case Ambiguous:
		return []string{"Remove the extra file: rm " + item.ShellWord(src.File+DetachedSuffix)}
	case NeedsDetached:
		return []string{"Remove that line, then: " + sign}
	case Duplicate:
		if f.Beside {
			return []string{sign}
		}
		return []string{"Remove the line that is not the file's signature, then: " + sign}
	case UnknownVersion:
		return []string{"Update rye; or sign the file again: " + sign}
	case V1Refused:
		return []string{
			"Sign it in the current format: " + sign,
			"To accept old signatures, set trust.accept_v1: true in the user's config.yaml; check with: rye doctor",
		}
	case Modified:
		return []string{"Check what was changed, then sign it again: " + sign}
	case Untrusted:
		return []string{"Or sign it yourself: " + sign}
	case BadSignature, WrongKind, Moved:
		return []string{"Check where the file comes from, then sign it here: " + sign}
	}
	return []string{sign}
}

// waive lets a refused file pass in developer mode, with one line of warning.
func (v *Verifier) waive(src Source, id identity, refusal *item.Error) Verified {
	if v.Warn != nil {
		v.Warn("[DEV MODE] " + strings.ReplaceAll(refusal.Message, "\n  ", "; ") + " — executing anyway")
	}
	verified := Verified{valid: true, id: id, data: src.Data, waived: refusal}
	content, err := stripSignature(id.path, src.File, src.Data)
	if err != nil {
		content = src.Data
	}
	verified.digest = sha256.Sum256(content)
	return verified
}
