package engine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// Shown is everything rye knows of an item without running it.
type Shown struct {
	ItemID      string           `json:"item_id"`
	Kind        item.Kind        `json:"kind"`
	Space       space.Label      `json:"space"`
	Path        string           `json:"path"`
	Version     string           `json:"version,omitempty"`
	Category    string           `json:"category,omitempty"`
	Description string           `json:"description,omitempty"`
	State       string           `json:"signature"`
	Problem     string           `json:"signature_problem,omitempty"`
	Signer      *Signature       `json:"signed_by,omitempty"`
	Shadowed    []string         `json:"shadowed,omitempty"`
	Metadata    *item.Object     `json:"metadata,omitempty"` // of a knowledge entry: all that it declares
	Agent       *item.Object     `json:"agent,omitempty"`    // what an agent's file defines, in the words of files
	Issues      []string         `json:"issues,omitempty"`   // what keeps an agent from being signed
	Parameters  []item.Parameter `json:"parameters,omitempty"`
	Chain       []ShownElement   `json:"chain,omitempty"`
	ChainError  string           `json:"chain_error,omitempty"`
	Anchor      string           `json:"anchor,omitempty"`
	Environment []ShownVariable  `json:"environment,omitempty"`
	Body        string           `json:"body,omitempty"`
	Hints       []string         `json:"hints,omitempty"`
}

// ShownElement is one link of a chain.
type ShownElement struct {
	ID    string      `json:"item_id"`
	Space space.Label `json:"space"`
	Path  string      `json:"path,omitempty"`
	State string      `json:"signature"`
}

// ShownVariable is a variable that the chain sets, and who sets it last.
type ShownVariable struct {
	Name  string `json:"name"`
	SetBy string `json:"set_by"`
	Value string `json:"value,omitempty"` // the template as it is written
}

// Show describes an item. One that is unsigned or changed is shown as well, and said to be so.
func (e *Engine) Show(text string) (*Shown, error) {
	ref, err := item.ParseRef(text)
	if err != nil {
		return nil, err
	}
	if ref, err = e.resolveRef(ref); err != nil {
		return nil, err
	}
	found, err := e.spaces.Find(ref, true)
	var missing *space.NotFoundError
	if errors.As(err, &missing) {
		return nil, e.notFound(ref, missing)
	}
	if err != nil {
		return nil, err
	}
	data, detached, err := found.Read()
	if err != nil {
		return nil, err
	}
	meta, err := item.ParseMetadata(ref.Kind, found.Display(), data)
	if err != nil {
		return nil, err
	}
	s := &Shown{
		ItemID: ref.String(), Kind: ref.Kind, Space: found.Space.Label, Path: found.Display(), Version: meta.Version,
		Category: meta.Category, Description: meta.Description, Parameters: meta.Parameters(), Body: meta.Document.Body,
	}
	for _, p := range found.Shadowed {
		s.Shadowed = append(s.Shadowed, p.Display())
	}
	e.showSignature(s, chain.SourceOf(found.Place, ref.Kind, data, detached))
	switch ref.Kind {
	case item.Knowledge:
		s.Metadata = meta.Document.Values
	case item.Tool:
		e.showChain(s, ref)
	case item.Agent:
		err = e.showAgent(s, ref, data)
	}
	return s, err
}

func (e *Engine) showSignature(s *Shown, src integrity.Source) {
	v, err := e.verifier.Verify(src)
	if err == nil {
		err = v.Waived()
	}
	if err != nil {
		s.State, s.Problem, s.Hints = stateOf(err), err.Error(), item.HintsOf(err)
		return
	}
	s.State, s.Signer = StateVerified, signatureOf(v)
}

func (e *Engine) showChain(s *Shown, ref item.Ref) {
	c, err := e.resolver.Inspect(ref)
	if err != nil {
		s.ChainError = err.Error()
	}
	for _, el := range c.Elements {
		row := ShownElement{ID: el.ID, Space: el.Space(), State: StateVerified}
		switch {
		case el.Primitive():
			row.State = "built in"
		case el.Failure != nil:
			row.State = stateOf(el.Failure)
		case el.Proof.Waived() != nil:
			row.State = stateOf(el.Proof.Waived())
		}
		if !el.Primitive() {
			row.Path = el.Place.Display()
		}
		s.Chain = append(s.Chain, row)
	}
	if err != nil {
		return
	}
	anchor, err := e.resolver.Anchor(c)
	if err != nil {
		s.ChainError = err.Error()
		return
	}
	if anchor.Active {
		s.Anchor = anchor.Dir.Display()
	}
	s.Environment = chainVariables(c, anchor)
}

// chainVariables lists what the chain's elements set, in the order of runtime's layers: the last one wins.
func chainVariables(c *chain.Chain, a *chain.Anchor) []ShownVariable {
	var list []ShownVariable
	set := func(name, by, value string) {
		list = slices.DeleteFunc(list, func(v ShownVariable) bool { return v.Name == name })
		list = append(list, ShownVariable{name, by, value})
	}
	setAll := func(vars *item.Object, by string) {
		for name, v := range vars.All() {
			set(name, by, fmt.Sprint(v))
		}
	}
	for _, el := range slices.Backward(c.Elements) {
		env := el.Meta.EnvConfig
		if env == nil {
			continue
		}
		if in := env.Interpreter; in != nil && in.Var != "" {
			set(in.Var, el.ID, strings.TrimSpace(in.Type+" "+in.Binary))
		}
		setAll(env.Env, el.ID)
	}
	if owner := c.First(func(m *item.Metadata) bool { return m.Anchor != nil }); owner != nil {
		if !a.Active {
			setAll(a.Spec.InactiveEnv, owner.ID)
			return list
		}
		setAll(a.Spec.ActiveEnv, owner.ID)
		for _, p := range a.Spec.EnvPaths {
			parts := slices.Concat(p.Prepend, []string{"${" + p.Name + "}"}, p.Append)
			set(p.Name, owner.ID, strings.Join(parts, string(os.PathListSeparator)))
		}
	}
	return list
}

// signatureState is "verified", or the reason why not.
func (e *Engine) signatureState(src integrity.Source) string {
	v, err := e.verifier.Verify(src)
	if err == nil {
		err = v.Waived()
	}
	if err != nil {
		return stateOf(err)
	}
	return StateVerified
}

func stateOf(err error) string {
	var failure *integrity.Failure
	if errors.As(err, &failure) {
		return string(failure.Reason)
	}
	return "unreadable"
}
