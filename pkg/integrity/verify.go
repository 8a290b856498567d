package integrity

import (
	"errors"

	"github.com/ryeos/rye/pkg/item"
)

// Source is one file to verify, read by the caller.
type Source struct {
	Kind     item.Kind
	Path     string // slash path below the kind's folder, with extension; below the directory of `.ai` for a dependency
	File     string // as the user sees it, for messages
	Ref      string // "tool:my/x", for hints; "" when the file is no item
	Space    string
	Data     []byte
	Detached []byte // content of the .rye-sig beside the file; nil when there is none
	System   bool   // part of rye itself: developer mode does not apply
}

// Verifier judges files. It may be used by many goroutines at once; Warn must then allow that too.
type Verifier struct {
	Trust    *TrustStore
	AcceptV1 bool             // let RYE OS signatures pass (`trust.accept_v1`)
	DevMode  bool             // let integrity failures of project and user files pass, with a warning
	Warn     func(msg string) // takes one line per waived failure; may be nil
}

// Verify checks the signature of an item: unsigned, modified, untrusted key, bad signature, in this order (spec/rye-core
// §7.3). The error is an *item.Error: of type integrity around a *Failure when the file is refused, of type internal
// around a *CheckError when it could not be checked.
func (v *Verifier) Verify(src Source) (Verified, error) {
	return v.verify(src, identity{src.Kind, src.Path})
}

// VerifyDependency checks a file that another one loads. It may be signed as a dependency, under its path below the
// directory that holds `.ai`, or be an item itself, under src.Kind and src.Path; with an empty src.Kind only the former
// counts.
func (v *Verifier) VerifyDependency(src Source, dependencyPath string) (Verified, error) {
	ids := []identity{{item.Dependency, dependencyPath}}
	if src.Kind != "" && src.Kind != item.Dependency {
		ids = append(ids, identity{src.Kind, src.Path})
	}
	return v.verify(src, ids...)
}

func (v *Verifier) verify(src Source, ids ...identity) (Verified, error) {
	for _, id := range ids {
		if err := id.validate(); err != nil {
			return Verified{}, err
		}
	}
	verified, err := v.check(src, ids)
	if err == nil {
		return verified, nil
	}
	if check, ok := errors.AsType[*CheckError](err); ok {
		return Verified{}, check.asItemError()
	}
	refusal := refuse(err, src, ids[0].kind)
	if v.DevMode && !src.System {
		return v.waive(src, ids[0], refusal), nil
	}
	return Verified{}, refusal
}

// check returns a *Failure, an *UnknownKeyError or a *CheckError.
func (v *Verifier) check(src Source, ids []identity) (Verified, error) {
	file, err := takeApart(ids[0].path, src.Data, src.Detached, v.AcceptV1)
	if err != nil {
		return Verified{}, err
	}
	line, digest := file.line, file.digest()
	signed := digest
	if line.Version == 1 {
		if signed, err = file.legacyDigest(ids[len(ids)-1].kind); err != nil {
			return Verified{}, err
		}
	}
	if signed != line.Digest {
		return Verified{}, modified(line, signed[:])
	}
	trusted, err := v.Trust.Lookup(line.Signer)
	if err != nil {
		return Verified{}, err
	}
	id, failure := trusted.Key.signedAs(ids, line)
	if failure != nil {
		failure.Owner = trusted.Owner
		return Verified{}, failure
	}
	return Verified{valid: true, id: id, data: src.Data, digest: digest, line: line, owner: trusted.Owner}, nil
}

// signedAs finds the identity that the signature of the line is for.
func (p *PublicKey) signedAs(ids []identity, line Line) (identity, *Failure) {
	if line.Version == 1 {
		if p.covers(legacyMessage(line), line) {
			return ids[len(ids)-1], nil
		}
		return identity{}, &Failure{Reason: BadSignature, Signer: line.Signer}
	}
	for _, id := range ids {
		if p.covers(id.message(line), line) {
			return id, nil
		}
	}
	if isImpossible(line.Signature) {
		return identity{}, &Failure{Reason: BadSignature, Signer: line.Signer}
	}
	for _, other := range ids[0].alternatives() {
		if p.covers(other.message(line), line) {
			return identity{}, &Failure{Reason: WrongKind, Signer: line.Signer, Detail: string(other.kind)}
		}
	}
	return identity{}, &Failure{Reason: Moved, Signer: line.Signer}
}
