// Package engine wires the others together into one value that executes, signs, verifies, lists and shows items. The
// command line, MCP and Go programs all call it; it knows nothing of flags, terminals or exit codes.
package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// Options are what an Engine needs to know about the world. Paths are absolute.
type Options struct {
	Project string   // folder that holds, or may hold, the project's .ai
	User    string   // folder that holds the user's .ai
	System  fs.FS    // holds the system's .ai
	Cache   string   // folder for files that can be made again
	KeyDir  string   // signing key; "" is <User>/.ai/config/keys/signing
	Binary  string   // the rye executable, for native tools; "" when there is none
	Env     []string // environment that children inherit
	Version string   // of rye, which MCP servers are told

	Thread string // the thread that this process works for; what it launches becomes its child

	Minimal  bool // children get the allowlist of design §2 row 21 instead of Env
	DevMode  bool // integrity failures of project and user items become warnings
	AcceptV1 bool // verify version 1 signatures

	// Pin runs a private copy of the verified files for every call, as Request.Pin does for one.
	Pin bool

	// MCPKeepAlive is how long an MCP server that is a program stays when nobody calls it, in a process that outlives this
	// one. 0 ends it with the call.
	MCPKeepAlive time.Duration

	// PythonKeepAlive is how long the interpreter of Python tools that are warm stays when nobody calls them. 0 keeps none.
	PythonKeepAlive time.Duration

	// IgnoreModes accepts items that other users of the machine could change, for file systems without permissions.
	IgnoreModes bool

	Warn func(message string) // a line for people; nil drops it
	Note func(message string) // a line for those who want to know more; nil drops it
	Now  func() time.Time     // nil is time.Now
}

// Engine executes items. It is safe for concurrent use.
type Engine struct {
	options  Options
	spaces   space.Spaces
	trust    *integrity.TrustStore
	verifier *integrity.Verifier
	resolver *chain.Resolver
	threads  *registry
}

// trustedDir is where a space keeps the documents of the keys that it trusts, below `.ai`.
const trustedDir = "config/keys/trusted"

// New makes an Engine. Nothing is read before it is needed.
func New(o Options) (*Engine, error) {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for name, dir := range map[string]string{"project": o.Project, "user": o.User} {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("the %s folder %q is not absolute", name, dir)
		}
	}
	if o.KeyDir == "" {
		o.KeyDir = filepath.Join(o.User, space.Dir, "config", "keys", "signing")
	}
	system, err := fs.Sub(o.System, space.Dir)
	if err != nil {
		return nil, err
	}
	e := &Engine{options: o, threads: &registry{}}
	e.spaces = space.Spaces{
		space.OnDisk(space.Project, o.Project), space.OnDisk(space.User, o.User), space.Embedded(system, o.Cache),
	}
	for _, s := range e.spaces {
		s.IgnoreModes = o.IgnoreModes
	}
	if sameFolder(o.Project, o.User) {
		e.spaces = e.spaces[1:] // in the home folder, the user space is the project
	}
	e.trust = integrity.NewTrustStore(e.trustSources()...)
	e.verifier = &integrity.Verifier{Trust: e.trust, AcceptV1: o.AcceptV1, DevMode: o.DevMode, Warn: o.Warn}
	e.resolver = &chain.Resolver{Spaces: e.spaces, Verifier: e.verifier}
	return e, nil
}

// writableSpace is the project or user space; in the home folder both are the latter.
func (e *Engine) writableSpace(label space.Label) *space.Space {
	if s := e.spaces.Get(label); s != nil {
		return s
	}
	return e.spaces.Get(space.User)
}

func (e *Engine) trustSources() []integrity.TrustSource {
	var sources []integrity.TrustSource
	for i := len(e.spaces) - 1; i >= 0; i-- {
		s := e.spaces[i]
		sources = append(sources, integrity.TrustSource{
			Space: string(s.Label), FS: lazyFS{s}, Display: s.Display(trustedDir), NeedsSignature: s.Label == space.Project,
		})
	}
	return sources
}

// lazyFS opens a space's folder of trust documents at the first use.
type lazyFS struct{ space *space.Space }

func (l lazyFS) Open(name string) (fs.File, error) {
	fsys, err := l.space.FS()
	if err != nil {
		return nil, err
	}
	sub, err := fs.Sub(fsys, trustedDir)
	if err != nil {
		return nil, err
	}
	return sub.Open(name)
}

// Project is the project's folder.
func (e *Engine) Project() string { return e.options.Project }

// KeyDir is the folder of the signing key.
func (e *Engine) KeyDir() string { return e.options.KeyDir }

func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	ai, errA := os.Stat(a)
	bi, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ai, bi)
}

// resolveRef gives a plain id its kind: a tool or a directive of that name, but not both (design §2 row 1).
func (e *Engine) resolveRef(ref item.Ref) (item.Ref, error) {
	if ref.Kind != "" {
		return ref, nil
	}
	var found []item.Ref
	for _, kind := range []item.Kind{item.Tool, item.Directive} {
		_, err := e.spaces.Find(ref.With(kind), false)
		var missing *space.NotFoundError
		switch {
		case err == nil:
			found = append(found, ref.With(kind))
		case !errors.As(err, &missing):
			return ref, err
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 2:
		return ref, item.Usagef("%s is ambiguous: it is a tool and a directive", ref.ID).
			Hint("say which: %s or %s", found[0], found[1])
	}
	return ref, e.notFound(ref, &space.NotFoundError{Ref: ref})
}

// notFound adds the nearest existing id and the command that lists what there is.
func (e *Engine) notFound(ref item.Ref, cause *space.NotFoundError) *item.Error {
	err := &item.Error{Type: item.TypeNotFound, Message: cause.Error(), Err: cause}
	kinds := item.Kinds()
	if ref.Kind != "" {
		kinds = []item.Kind{ref.Kind}
	}
	var ids []string
	for _, kind := range kinds {
		entries, listErr := e.spaces.List(kind)
		if listErr != nil {
			continue
		}
		for _, entry := range entries {
			ids = append(ids, entry.Ref.ID)
			if entry.Ref.ID == ref.ID && ref.Kind == "" {
				err.Hint("there is %s of that name: rye show %s", kind.WithArticle(), entry.Ref)
			}
		}
	}
	if near := item.Suggest(ref.ID, ids); near != "" && near != ref.ID {
		err.Hint("did you mean %s?", item.Ref{Kind: ref.Kind, ID: near})
	}
	if ref.Kind == "" {
		return err.Hint("rye list")
	}
	return err.Hint("rye list %s", ref.Kind)
}
