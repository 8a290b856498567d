package agent

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// keySize is that of AES-256.
const keySize = 32

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// sealedVariable is a variable of a thread as it is stored: encrypted, and bound to its thread, its name and to whether it
// is a secret, so that it cannot be moved to another place in the storage, nor be made to be shown.
type sealedVariable struct {
	Name   string `json:"name"`
	Sealed []byte `json:"sealed"` // nonce and AES-256-GCM
	Secret bool   `json:"secret,omitempty"`
	Own    bool   `json:"own,omitempty"` // was given to this thread alone: what those above it set is not for it
}

func (r *Runtime) sealer() (cipher.AEAD, error) {
	if len(r.key) == 0 {
		return nil, item.Usagef("threads of this runtime cannot have variables: it has no key to encrypt them with (Config.Key)")
	}
	block, err := aes.NewCipher(r.key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (s *sealedVariable) place(thread string) []byte {
	return fmt.Appendf(nil, "%s\x00%s\x00%t", thread, s.Name, s.Secret)
}

// setVariables stores variables of a thread. own ones stay its own.
func (r *Runtime) setVariables(tx record.Tx, thread string, list []Value, own bool) error {
	for _, v := range list {
		sealed, err := r.seal(thread, v)
		if err != nil {
			return err
		}
		sealed.Own = own
		if err := variables.put(tx, thread, v.Name, sealed); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runtime) seal(thread string, v Value) (*sealedVariable, error) {
	if !variableName().MatchString(v.Name) {
		return nil, item.Usagef("%s cannot be the name of a variable", item.Quote(v.Name))
	}
	aead, err := r.sealer()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce) // never fails
	s := &sealedVariable{Name: v.Name, Secret: v.Secret}
	s.Sealed = aead.Seal(nonce, nonce, []byte(v.Value), s.place(thread))
	return s, nil
}

func (r *Runtime) unseal(thread string, s *sealedVariable) (Value, error) {
	v := Value{Name: s.Name, Secret: s.Secret}
	aead, err := r.sealer()
	if err != nil {
		return v, err
	}
	if n := aead.NonceSize(); len(s.Sealed) >= n {
		var plain []byte
		if plain, err = aead.Open(nil, s.Sealed[:n], s.Sealed[n:], s.place(thread)); err == nil {
			v.Value = string(plain)
			return v, nil
		}
	}
	return v, item.Errorf(item.TypeIntegrity, "the variable %s of thread %s cannot be decrypted: it was stored with another key, or changed", s.Name, thread)
}

// ownVariables are those of the thread itself.
func (r *Runtime) ownVariables(tx record.Reader, thread string) ([]Value, error) {
	names, err := variables.names(tx, thread, record.Range{})
	if err != nil {
		return nil, err
	}
	list := make([]Value, len(names))
	for i, name := range names {
		sealed, err := storedVariable(tx, thread, name)
		if err != nil {
			return nil, err
		}
		if list[i], err = r.unseal(thread, sealed); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// storedVariable is a variable of the thread itself, nil if it has none. Its name is that of its place, whatever is in it.
func storedVariable(tx record.Reader, thread, name string) (*sealedVariable, error) {
	sealed, err := variables.get(tx, thread, name)
	if sealed != nil {
		sealed.Name = name
	}
	return sealed, err
}

// variable looks a name up: thread, agent, prompt, user, machine; the first that knows it counts. agent and prompt may be
// nil. What a prompt calls a secret is one wherever it comes from; the user's and the machine's values are secrets unless a
// prompt says that they are not.
func (r *Runtime) variable(tx record.Reader, thread string, agent *Agent, prompt *Prompt, name string) (Value, bool, error) {
	sealed, err := storedVariable(tx, thread, name)
	if err != nil {
		return Value{}, false, err
	}
	declared, secret := prompt.declares(name)
	if sealed != nil {
		v, err := r.unseal(thread, sealed)
		v.Secret = v.Secret || secret
		return v, err == nil, err
	}
	if agent != nil {
		if value, ok := agent.Env[name]; ok {
			return Value{name, value, secret}, true, nil
		}
	}
	if prompt != nil {
		if value, ok := prompt.Env[name]; ok {
			return Value{name, value, secret}, true, nil
		}
	}
	value, ok := r.env.Variable(name)
	return Value{name, value, secret || !declared}, ok, nil
}

// declares reports whether a prompt says anything of a variable, and whether it says that it is a secret.
func (p *Prompt) declares(name string) (declared, secret bool) {
	if p == nil {
		return false, false
	}
	for _, v := range p.Variables {
		if v.Name == name {
			declared, secret = true, secret || v.Secret
		}
	}
	return declared, secret
}

// promptVariable is the value of a variable that a prompt shows to its model; empty if there is none, or if it is secret.
func (f *flow) promptVariable(agent *Agent, prompt *Prompt, name string) (string, error) {
	var v Value
	err := f.storage.View(f.ctx, func(tx record.Reader) (err error) {
		v, _, err = f.variable(tx, f.thread.ID, agent, prompt, name)
		return err
	})
	if err != nil || v.Secret {
		return "", err
	}
	return v.Value, nil
}

// SetVariable stores a variable of a thread, and of all its living descendants but those that have one of their own, or whose
// agents want one: these, and what is below them, keep theirs.
func (r *Runtime) SetVariable(ctx context.Context, thread string, v Value) error {
	return r.storage.Update(ctx, func(tx record.Tx) error { return r.setVariableBelow(tx, thread, v) })
}

func (r *Runtime) setVariableBelow(tx record.Tx, thread string, v Value) error {
	if _, err := loadLive(tx, thread); err != nil {
		return err
	}
	old, err := variables.get(tx, thread, v.Name)
	if err != nil {
		return err
	}
	if err := r.setVariables(tx, thread, []Value{v}, old != nil && old.Own); err != nil {
		return err
	}
	list, err := children.list(tx, thread, record.Range{})
	if err != nil {
		return err
	}
	for _, c := range list {
		child, err := threads.get(tx, c.Reference, the)
		if err != nil {
			return err
		}
		if child == nil || !child.Terminated.IsZero() || r.scoped(child.Agent, v.Name) {
			continue
		}
		if has, err := variables.get(tx, child.ID, v.Name); err != nil {
			return err
		} else if has != nil && has.Own {
			continue
		}
		if err := r.setVariableBelow(tx, child.ID, v); err != nil {
			return err
		}
	}
	return nil
}

// scoped reports whether an agent wants a variable of its own instead of its parent's.
func (r *Runtime) scoped(agent, name string) bool {
	for _, v := range r.declared(agent) {
		if v.Name == name && v.Scoped {
			return true
		}
	}
	return false
}

// declared are the variables that the prompts of an agent's sides ask for.
func (r *Runtime) declared(agent string) []Variable {
	a, err := r.definitions.Agent(agent)
	if err != nil {
		return nil
	}
	var list []Variable
	for _, side := range []Side{a.SideA, a.SideB} {
		if side.Prompt == "" {
			continue
		}
		if prompt, err := r.definitions.Prompt(side.Prompt); err == nil {
			list = append(list, prompt.Variables...)
		}
	}
	return list
}

// inherited are the variables that a child gets from its parent: all but those that it wants for itself.
func (r *Runtime) inherited(tx record.Reader, parent, agent string) ([]Value, error) {
	own, err := r.ownVariables(tx, parent)
	return slices.DeleteFunc(own, func(v Value) bool { return r.scoped(agent, v.Name) }), err
}
