package runtime

import (
	"path/filepath"
	"strings"

	"github.com/ryeos/rye/pkg/confine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/template"
)

// command fills in the program and its arguments.
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

// inProject reports whether a folder is the project's, whatever links lead to either of them.
func (b *builder) inProject(dir string) bool {
	if inside(b.in.Project, dir) {
		return true
	}
	if b.realProject == "" {
		b.realProject = confine.RealPath(b.in.Project)
	}
	return confine.Inside(b.realProject, confine.RealPath(dir))
}

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
