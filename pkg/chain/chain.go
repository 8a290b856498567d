// Package chain resolves an item to the chain that executes it: tool → runtime → primitive. Every element is found, read
// once, verified and checked against its neighbour before anything runs. It starts no process and reads no
// environment: what `rye trace` explains is what `rye execute` does.
package chain

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// MaxDepth is the number of elements a chain may have (seed 001).
const MaxDepth = 10

// ExecutePrimitive is the one primitive: it needs no file (design §2 row 3).
const ExecutePrimitive = "rye/core/primitives/execute"

// Element is one link of a chain.
type Element struct {
	ID       string
	Place    space.Place // zero for the primitive
	Shadowed []space.Place
	Meta     *item.Metadata

	// Proof is valid once the element's bytes were verified. Failure says why not; only Inspect returns such elements.
	Proof   integrity.Verified
	Failure error

	// How long it took to find the element, and to read and verify it.
	FindTime, VerifyTime time.Duration

	detached []byte // the signature file beside the element's, if any
}

// Primitive reports whether the element is built in.
func (e *Element) Primitive() bool { return e.Place.Space == nil }

// Space is the label of the element's space; the primitive belongs to the system.
func (e *Element) Space() space.Label {
	if e.Primitive() {
		return space.System
	}
	return e.Place.Space.Label
}

// InProject reports whether the element is the project's own.
func (e *Element) InProject() bool { return e.Space() == space.Project }

// File is the element's path on disk; false for elements that live in the binary.
func (e *Element) File() (string, bool) {
	if e.Primitive() || e.Place.Space.Base == "" {
		return "", false
	}
	return filepath.Join(e.Place.Space.Root(), filepath.FromSlash(e.Place.Rel)), true
}

// Chain is a resolved item: the tool first, the primitive last.
type Chain struct {
	Ref      item.Ref
	Elements []*Element
	Pairs    []string // "child -> parent" for every validated link
	Warnings []string
}

// Tool is the element that was asked for.
func (c *Chain) Tool() *Element { return c.Elements[0] }

// IDs lists the elements' ids, as responses show them.
func (c *Chain) IDs() []string {
	ids := make([]string, len(c.Elements))
	for i, e := range c.Elements {
		ids[i] = e.ID
	}
	return ids
}

// Verified reports whether every element that has a file was verified.
func (c *Chain) Verified() bool {
	for _, e := range c.Elements {
		if !e.Primitive() && !e.Proof.Valid() {
			return false
		}
	}
	return len(c.Elements) > 0
}

// First is the first element, tool side first, for which has is true; nil when there is none.
func (c *Chain) First(has func(*item.Metadata) bool) *Element {
	for _, e := range c.Elements {
		if has(e.Meta) {
			return e
		}
	}
	return nil
}

// Resolver builds chains over one set of spaces. It is safe for concurrent use; its caches make it worth keeping in a
// process that lives long.
type Resolver struct {
	Spaces   space.Spaces
	Verifier *integrity.Verifier

	chains   chainCache
	metadata metadataCache
}

// Resolve builds, verifies and validates the chain of a tool. On failure it returns the part that was built, for the
// envelope, with the error.
func (r *Resolver) Resolve(ref item.Ref) (*Chain, error) {
	if c := r.chains.get(r, ref); c != nil {
		return c, nil
	}
	c, err := r.walk(ref, strict)
	if err != nil {
		return c, err
	}
	if err := c.validate(); err != nil {
		return c, err
	}
	if len(c.Warnings) == 0 {
		r.chains.put(ref, c)
	}
	return c, nil
}

// Explain is Resolve for a trace: it asks no cache, looks for shadowed copies, and on an integrity failure the element
// that failed is the last of the chain. What may be executed is decided by the same code.
func (r *Resolver) Explain(ref item.Ref) (*Chain, error) {
	c, err := r.walk(ref, explaining)
	if err != nil {
		return c, err
	}
	return c, c.validate()
}

// Inspect builds a chain for showing: integrity failures are recorded in the elements instead of ending the walk, and
// shadowed copies are looked for. Such a chain cannot be executed unless every element turned out verified.
func (r *Resolver) Inspect(ref item.Ref) (*Chain, error) {
	c, err := r.walk(ref, lenient)
	if err != nil {
		return c, err
	}
	return c, c.validate()
}

// mode is what a walk does besides resolving.
type mode int

const (
	strict     mode = iota
	explaining      // strict, with shadowed copies and the element that failed
	lenient         // with shadowed copies; integrity failures do not end the walk
)

// walk follows executor_id from the tool to the primitive. The order of its checks is that of spec/rye-core §3.1.
func (r *Resolver) walk(ref item.Ref, how mode) (*Chain, error) {
	c := &Chain{Ref: ref}
	visited := map[string]bool{}
	spaces := r.Spaces
	for current := ref; ; {
		switch {
		case len(c.Elements) >= MaxDepth:
			return c, item.Errorf(item.TypeChain,
				"Chain too deep (max %d): %s. Possible circular dependency or excessive nesting.", MaxDepth, ref.ID)
		case visited[current.ID]:
			return c, item.Errorf(item.TypeChain, "Circular dependency detected: %s", current.ID)
		}
		visited[current.ID] = true
		if current.ID == ExecutePrimitive {
			c.Elements = append(c.Elements, &Element{ID: ExecutePrimitive, Meta: primitiveMetadata})
			return c, nil
		}
		e, err := r.element(spaces, current, how)
		if err != nil {
			err = r.elementError(c, current, err)
			if e != nil && how == explaining {
				c.Elements = append(c.Elements, e)
			}
			return c, err
		}
		c.Elements = append(c.Elements, e)
		if e.Proof.Waived() != nil {
			c.Warnings = append(c.Warnings, e.Proof.Waived().Error())
		}
		if !e.Meta.ExecutorDeclared {
			return c, item.Errorf(item.TypeChain, "Item does not declare an executor: '%s'. Add executor_id to the item's metadata.", e.ID).
				Hint("add __executor_id__ = \"rye/core/runtimes/…\" to %s, then: rye sign %s", e.Place.Display(), current)
		}
		if e.Meta.ExecutorID == "" {
			return c, item.Errorf(item.TypeChain, "Unknown primitive: %s", e.ID).
				Hint("only %s ends a chain: name a runtime in the executor_id of %s", ExecutePrimitive, e.Place.Display())
		}
		spaces = r.Spaces.From(e.Place.Space.Label)
		current = item.Ref{Kind: item.Tool, ID: e.Meta.ExecutorID}
	}
}

var primitiveMetadata = &item.Metadata{
	Version: "1.0.0", ToolType: "primitive", ExecutorDeclared: true, Description: "Runs a command", Document: nil,
}

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
	e.detached = detached
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

// elementError gives a missing link the words of spec/rye-core §3.1.
func (r *Resolver) elementError(c *Chain, ref item.Ref, err error) error {
	var missing *space.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	if len(c.Elements) == 0 {
		return &item.Error{Type: item.TypeNotFound, Message: missing.Error(), Err: missing}
	}
	child := c.Elements[len(c.Elements)-1]
	e := item.Errorf(item.TypeChain, "Executor not found: %s. Required by %s (%s space).", ref.ID, child.ID, child.Space())
	if from := r.Spaces.From(child.Space()); len(from) < len(r.Spaces) {
		if _, err := r.Spaces.Find(ref, false); err == nil {
			e.Hint("%s exists in a space that %s items cannot depend on: move it, or move %s", ref.ID, child.Space(), child.ID)
		}
	}
	return e.Hint("rye list tool runtimes")
}

// SourceOf describes a place for verification.
func SourceOf(p space.Place, kind item.Kind, data, detached []byte) integrity.Source {
	path := p.Path()
	return integrity.Source{
		Kind: kind, Path: path, File: p.Display(), Ref: fmt.Sprintf("%s:%s", kind, stem(path)),
		Space: string(p.Space.Label), Data: data, Detached: detached, System: p.Space.Label == space.System,
	}
}
