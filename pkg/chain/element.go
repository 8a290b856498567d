package chain

import (
	"fmt"
	"time"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// element finds, reads, verifies and parses one link. The bytes are read once: what is parsed is what was verified. An
// element that was found and failed is returned with the error.
func (r *Resolver) element(spaces space.Spaces, ref item.Ref, how mode) (*Element, error) {
	start := time.Now()
	found, err := spaces.Find(ref, how != strict)
	if err != nil {
		return nil, err
	}
	e := &Element{ID: ref.ID, Place: found.Place, Shadowed: found.Shadowed, FindTime: time.Since(start)}
	start = time.Now()
	err = r.verify(e, ref, how)
	e.VerifyTime = time.Since(start)
	if err != nil {
		e.Failure = err
	}
	return e, err
}

func (r *Resolver) verify(e *Element, ref item.Ref, how mode) error {
	data, detached, err := e.Place.Read()
	if err != nil {
		return err
	}
	e.source, e.detached = data, detached
	e.Proof, err = r.Verifier.Verify(SourceOf(e.Place, ref.Kind, data, detached))
	if err != nil {
		if how != lenient || item.TypeOf(err) != item.TypeIntegrity {
			return err
		}
		e.Failure = err
	}
	if e.Meta, err = r.metadata.parse(ref.Kind, e.Place, data); err != nil {
		return err
	}
	if e.Proof.Valid() && e.Proof.Version() == 1 {
		return checkV1Path(ref, e)
	}
	return nil
}

// checkV1Path ties a version 1 signature, which does not bind the path, to the place of its file (design §7).
func checkV1Path(ref item.Ref, e *Element) error {
	if e.Meta.Category == ref.Category() {
		return nil
	}
	return item.Errorf(item.TypeIntegrity,
		"%s carries a version 1 signature, which does not bind its path, and its category %q is not its folder %q",
		e.Place.Display(), e.Meta.Category, ref.Category()).Hint("rye sign %s", ref)
}

// SourceOf describes a place for verification.
func SourceOf(p space.Place, kind item.Kind, data, detached []byte) integrity.Source {
	path := p.Path()
	return integrity.Source{
		Kind: kind, Path: path, File: p.Display(), Ref: fmt.Sprintf("%s:%s", kind, stem(path)),
		Space: string(p.Space.Label), Data: data, Detached: detached, System: p.Space.Label == space.System,
	}
}
