package chain

import (
	"errors"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

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

// Alone finds and verifies an item that nothing executes, a directive or a knowledge entry: a chain of one element, whose
// Source is what was verified. On an integrity failure, the element that failed is in the chain.
func (r *Resolver) Alone(ref item.Ref) (*Chain, error) {
	c := &Chain{Ref: ref}
	e, err := r.element(r.Spaces, ref, explaining)
	if e != nil {
		c.Elements = append(c.Elements, e)
	}
	if err != nil {
		return c, r.elementError(&Chain{}, ref, err)
	}
	if e.Proof.Waived() != nil {
		c.Warnings = append(c.Warnings, e.Proof.Waived().Error())
	}
	return c, nil
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
	Version: "1.0.0", ToolType: "primitive", ExecutorDeclared: true, Description: "Runs a command",
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
	if near := item.Suggest(ref.ID, r.ids(child.Space())); near != "" {
		e.Hint("did you mean executor_id %s?", near)
	}
	return e.Hint("rye list tool runtimes")
}

// ids lists what an element of a space can name as its executor.
func (r *Resolver) ids(from space.Label) []string {
	entries, err := r.Spaces.From(from).List(item.Tool)
	if err != nil {
		return nil
	}
	ids := []string{ExecutePrimitive}
	for _, entry := range entries {
		ids = append(ids, entry.Ref.ID)
	}
	return ids
}
