// Package runtime executes a resolved chain: it finds interpreters, builds the environment, applies the anchor, fills in
// templates and runs the execute primitive. A Plan is a value that can be shown before anything happens.
package runtime

import (
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/template"
)

// DefaultTimeout bounds a run whose chain names no timeout (spec/rye-core §6.1).
const DefaultTimeout = 300 * time.Second

// Input is everything a plan is made from. Nothing else of the process is looked at, but for the files that
// interpreters and `.env` live in.
type Input struct {
	Chain    *chain.Chain
	Anchor   *chain.Anchor
	Params   map[string]any // the caller's, validated
	Resolved *item.Object   // config_resolve's answer; nil for none

	Project string                 // absolute project folder
	User    string                 // absolute folder that holds the user's .ai
	System  func() (string, error) // the system .ai folder on disk, made when a template asks for it
	Cache   string                 // folder for what can be made again
	Binary  string                 // rye itself, for native runtimes; "" when there is none
	Thread  string                 // the thread this run belongs to; "" for none

	Env     []string // the calling process's environment
	Minimal bool     // hand children an allowlist instead of all of Env (design §2 row 21)

	Timeout  time.Duration // the caller's; 0 for none
	Sandbox  SandboxOptions
	Settings Settings

	Secrets *redact.Redactor // learns the secrets of the child's environment; nil to show everything
}

// Settings are the engine's own knobs, from config/execution/execution.yaml (design §2 row 13).
type Settings struct {
	Timeout       time.Duration // for chains that name none
	MaxOutput     int           // bytes kept of each stream
	ToolTimeout   time.Duration // for this tool; beats the chain
	ToolMaxOutput int
	Pin           bool // run a private copy of the verified files
}

// Plan is a command that is ready to run.
type Plan struct {
	Program      string // absolute path
	Argv         []string
	Env          *Environment
	Cwd          string
	Stdin        []byte
	Timeout      time.Duration
	TimeoutOwner string        // who set the timeout, for the message when it strikes
	Grace        time.Duration // between asking and killing when the run is cut short; 0 for the default
	MaxOutput    int
	TextResult   bool     // standard output is text, never parsed as JSON
	Warnings     []string // what was asked for and not done
	FixedParams  []string // caller parameters that lost against fixed_params
	Sandbox      *Sandbox // nil for a run that is not confined

	Warm *Warm              // the interpreter of which the run may be a fork; nil for none
	Dial Dial               // connects to who keeps that; nil when nobody does
	Cold func(reason error) // is told why a run is no fork although it was to be one

	secrets *redact.Redactor
	binary  string // rye itself; what it has detached outlives the run
}

// NewPlan turns a verified chain into a command. It has no effect on the world beyond system items being written to
// the cache, and an interpreter's resolve_cmd being run.
func NewPlan(in Input) (*Plan, error) {
	if !in.Chain.Verified() {
		return nil, item.Errorf(item.TypeIntegrity, "the chain of %s is not verified", in.Chain.Ref)
	}
	b := &builder{in: in, context: contextOf(in)}
	in.Secrets.AddLater(b.secretVariables)
	b.params, b.steering = splitParams(in)
	if err := b.environment(); err != nil {
		return nil, err
	}
	b.config = mergedConfig(in.Chain)
	b.paramVariables()
	p := &Plan{Env: b.env, secrets: in.Secrets, binary: in.Binary}
	if err := b.payload(p); err != nil {
		return nil, err
	}
	for _, step := range []func(*Plan) error{b.command, b.directory, b.stdin, b.limits, b.sandbox, b.warm} {
		if err := step(p); err != nil {
			return nil, err
		}
	}
	p.Env.set("PWD", p.Cwd, OriginRye)
	p.Warnings = b.warnings
	return p, b.context.err
}

// mergedConfig lays the tool's config over its runtime's and that over the primitive's; lists are replaced.
func mergedConfig(c *chain.Chain) *item.Object {
	merged := item.NewObject()
	for i := len(c.Elements) - 1; i >= 0; i-- {
		merged.Merge(c.Elements[i].Meta.Config)
	}
	return merged
}

// builder carries what the steps of NewPlan share.
type builder struct {
	in       Input
	env      *Environment
	config   *item.Object
	context  *contextValues
	params   map[string]any // what the tool receives
	steering map[string]any // engine keys that the tool does not declare
	payloads string         // params_json
	warnings []string

	realProject string // the project's folder with links resolved; "" until somebody asks
}

// values is the lookup of templates in the chain's config: the context first, so that no caller can pretend to be it,
// then the caller's parameters, then other keys of the config itself.
func (b *builder) values(depth int) template.Values {
	return template.Values{
		Env:   b.env.lookup,
		Param: func(name string) (any, bool) { return b.param(name, depth) },
	}
}

// maxTemplateDepth bounds config keys that refer to each other.
const maxTemplateDepth = 8

func (b *builder) param(name string, depth int) (any, bool) {
	if name == "params_json" {
		return b.payloads, true
	}
	if v, ok := b.context.lookup(name); ok {
		return v, true
	}
	configured, inConfig := b.config.Get(name)
	if inConfig && serverKeys[name] {
		return b.expand(configured, depth)
	}
	if v, ok := b.params[name]; ok {
		return v, true
	}
	if name == "command" && isScript(b.in.Chain.Tool()) {
		v, ok := b.config.Get("script_command")
		return v, ok
	}
	if v, ok := b.steering[name]; ok {
		return v, true
	}
	if inConfig && name != "command" && name != "args" {
		return b.expand(configured, depth)
	}
	return nil, false
}

// isScript reports whether the tool's file is a program, not a description of one.
func isScript(tool *chain.Element) bool {
	switch path.Ext(tool.Place.Rel) {
	case ".yaml", ".yml", ".json", ".toml":
		return false
	}
	return true
}

func (b *builder) expand(v any, depth int) (any, bool) {
	if depth >= maxTemplateDepth {
		return nil, false
	}
	return b.values(depth + 1).Tree(v), true
}

// directory is the project's folder unless the anchor or the chain says otherwise. A folder that the caller has a say in,
// that is, any that is not made of rye's own variables alone, must lie in the project.
func (b *builder) directory(p *Plan) error {
	p.Cwd = b.in.Project
	if b.in.Anchor.Active && b.in.Anchor.Spec.Cwd != "" {
		p.Cwd = b.context.text(b.in.Anchor.Spec.Cwd)
		return nil
	}
	text, fixed := b.config.String("cwd"), true
	if v, ok := b.steering["cwd"]; ok {
		text, fixed = template.String(v), false
	} else {
		for _, name := range template.Names(text) {
			_, ours := b.context.values[name]
			fixed = fixed && ours
		}
		text = b.values(0).Text(dropUnset(text, b.param))
	}
	if text == "" {
		return nil
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(b.in.Project, text)
	}
	if p.Cwd = text; fixed {
		return nil
	}
	dir, err := projectFolder(b.in.Project, text)
	p.Cwd = dir
	return err
}

func (b *builder) stdin(p *Plan) error {
	input, ok := b.config.Get("input_data")
	if !ok || input == nil {
		return nil
	}
	p.Stdin = []byte(template.String(b.values(0).Tree(input)))
	return nil
}

func chainError(c *chain.Chain, format string, args ...any) error {
	e := item.Errorf(item.TypeChain, format, args...)
	e.Message += " (chain: " + strings.Join(c.IDs(), " → ") + ")"
	return e
}
