package directive

import (
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// maxAncestors is how many directives one can extend, each the next.
const maxAncestors = 10

// Composition is what a directive has from itself and from those it extends. Limits, model, hooks, inputs, outputs and
// acknowledged risks are never inherited.
type Composition struct {
	Chain       []item.Ref // the directive itself, its parent, and so on
	Context     Context    // knowledge to load, root first, without what is suppressed
	Permissions []Permission
	GrantedBy   item.Ref // whose the permissions are: the nearest of the chain that declares any; zero if none does
}

// Capabilities lists what the permissions grant.
func (c *Composition) Capabilities() []string { return capabilities(c.Permissions) }

// Compose follows extends. load finds, verifies and parses a parent.
func Compose(ref item.Ref, leaf *Document, load func(item.Ref) (*Document, error)) (*Composition, error) {
	c := &Composition{Chain: []item.Ref{ref.With(item.Directive)}}
	documents := []*Document{leaf}
	for d := leaf; d.Extends != ""; {
		parent, err := parentRef(d.Extends)
		if err != nil {
			return nil, err
		}
		if err := c.check(parent); err != nil {
			return nil, err
		}
		if d, err = load(parent); err != nil {
			failure := item.Errorf(item.TypeOf(err), "Failed to load parent directive '%s': %w", parent.ID, err)
			failure.Hints = item.HintsOf(err)
			return nil, failure
		}
		c.Chain, documents = append(c.Chain, parent), append(documents, d)
	}
	for i, d := range documents {
		if d.Permissions != nil {
			c.Permissions, c.GrantedBy = d.Permissions, c.Chain[i]
			break
		}
	}
	for _, d := range slices.Backward(documents) {
		c.Context.add(d.Context)
	}
	c.Context.suppress()
	return c, nil
}

// parentRef is the directive that extends names, with its kind or without.
func parentRef(text string) (item.Ref, error) {
	ref, err := item.ParseRef(text)
	if err == nil && ref.Kind != "" && ref.Kind != item.Directive {
		err = item.Errorf(item.TypeChain, "a directive can only extend a directive, not '%s'", ref)
	}
	return ref.With(item.Directive), err
}

func (c *Composition) check(parent item.Ref) error {
	ids := make([]string, len(c.Chain))
	for i, ref := range c.Chain {
		ids[i] = ref.ID
	}
	path := strings.Join(ids, " → ")
	if slices.Contains(c.Chain, parent) {
		return item.Errorf(item.TypeChain, "Circular extends chain: %s (chain: %s)", parent.ID, path)
	}
	if len(c.Chain) > maxAncestors {
		return item.Errorf(item.TypeChain, "Extends chain too long: at most %d parents are followed (chain: %s)", maxAncestors, path)
	}
	return nil
}
