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
	"github.com/ryeos/rye/pkg/process"
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

	Env     []string // the calling process's environment
	Minimal bool     // hand children an allowlist instead of all of Env (design §2 row 21)

	Timeout  time.Duration // the caller's; 0 for none
	Settings Settings
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
	TimeoutOwner string // who set the timeout, for the message when it strikes
	MaxOutput    int
	TextResult   bool     // standard output is text, never parsed as JSON
	FixedParams  []string // caller parameters that lost against fixed_params
}

// NewPlan turns a verified chain into a command. It has no effect on the world beyond system items being written to
// the cache, and an interpreter's resolve_cmd being run.
func NewPlan(in Input) (*Plan, error) {
	if !in.Chain.Verified() {
		return nil, item.Errorf(item.TypeIntegrity, "the chain of %s is not verified", in.Chain.Ref)
	}
	b := &builder{in: in, context: contextOf(in)}
	b.params, b.steering = splitParams(in)
	if err := b.environment(); err != nil {
		return nil, err
	}
	b.config = mergedConfig(in.Chain)
	b.paramVariables()
	p := &Plan{Env: b.env}
	if err := b.payload(p); err != nil {
		return nil, err
	}
	for _, step := range []func(*Plan) error{b.command, b.directory, b.stdin, b.limits} {
		if err := step(p); err != nil {
			return nil, err
		}
	}
	p.Env.set("PWD", p.Cwd, OriginRye)
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

func (b *builder) command(p *Plan) error {
	text, _ := b.config.Get("command")
	command, _ := text.(string)
	argv := []string{command}
	args, err := stringList(b.config, "args")
	if err != nil {
		return chainError(b.in.Chain, "%v", err)
	}
	argv[0] = b.values(0).Text(argv[0]) // whether there is shell text depends on the program
	argv = append(argv, args...)
	shell := template.ShellTextIndex(argv)
	p.Argv = argv[:1:1]
	for i, arg := range argv[1:] {
		if i+1 == shell {
			if arg, err = b.values(0).Shell(arg); err != nil {
				return err
			}
			p.Argv = append(p.Argv, arg)
			continue
		}
		p.Argv = append(p.Argv, b.arguments(arg)...)
	}
	for i, arg := range p.Argv {
		if strings.IndexByte(arg, 0) >= 0 {
			return item.Usagef("argument %d of the command would hold a NUL byte: pass the value on standard input instead", i)
		}
	}
	if p.Argv[0] == "" {
		return chainError(b.in.Chain, "No command specified")
	}
	p.Program, err = b.program(p.Argv[0])
	// Interpreters find their own files by their name: a bare one would be looked up on the PATH again, where a folder of
	// the project may come first.
	p.Argv[0] = p.Program
	return err
}

func (b *builder) inProject(dir string) bool { return inside(b.in.Project, dir) }

// arguments fills in one argument. One that is exactly {args} stands for the caller's list of arguments.
func (b *builder) arguments(text string) []string {
	if list, ok := b.params["args"].([]any); ok && text == "{args}" {
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = template.String(v)
		}
		return words
	}
	return []string{b.values(0).Text(text)}
}

// program finds the executable. Folders inside the project and relative ones are never searched: a program named like
// an interpreter there is not what the chain means (field §3.1 row 12).
func (b *builder) program(name string) (string, error) {
	program, err := process.Lookup(name, b.env.value("PATH"), b.inProject)
	if err == nil {
		return b.behindShim(program), nil
	}
	return "", item.Errorf(item.TypeUnavailable, "cannot run %s: %w", b.in.Chain.Tool().ID, err).
		Hint("install %s, or name its absolute path in the runtime: rye show tool:%s", filepath.Base(name), b.in.Chain.Tool().ID)
}

// directory is the project's folder unless the anchor or the tool says otherwise. A folder that the caller has a say in
// must lie in the project.
func (b *builder) directory(p *Plan) error {
	p.Cwd = b.in.Project
	if b.in.Anchor.Active && b.in.Anchor.Spec.Cwd != "" {
		p.Cwd = b.context.text(b.in.Anchor.Spec.Cwd)
		return nil
	}
	text := b.config.String("cwd")
	if v, ok := b.steering["cwd"]; ok {
		text = template.String(v)
	} else if text != "" {
		text = b.values(0).Text(dropUnset(text, b.param))
	}
	if text == "" {
		return nil
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(b.in.Project, text)
	}
	dir, err := confine(b.in.Project, text)
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

func stringList(o *item.Object, key string) ([]string, error) {
	v, ok := o.Get(key)
	if !ok || v == nil {
		return nil, nil
	}
	raw, ok := v.([]any)
	if !ok {
		return nil, item.Errorf(item.TypeChain, "config.%s must be a list", key)
	}
	out := make([]string, len(raw))
	for i, e := range raw {
		out[i] = template.String(e)
	}
	return out, nil
}
