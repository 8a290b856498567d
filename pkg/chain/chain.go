// Package chain resolves an item to the chain that executes it: tool → runtime → primitive. Every element is found, read
// once, verified and checked against its neighbour before anything runs. It starts no process and reads no
// environment: what `rye trace` explains is what `rye execute` does.
package chain

import (
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

	source   []byte // what was verified
	detached []byte // the signature file beside the element's, if any
}

// Source is the text of the element, exactly as it was verified.
func (e *Element) Source() []byte { return e.source }

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
