package runtime

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
)

// functionRuntime is the runtime whose tools can run warm.
const functionRuntime = "rye/core/runtimes/python/function"

// Warm is a Python interpreter of which a plan can be a fork. Nothing in it depends on one call, so that many plans can
// share it, and of the variables it holds only those that an interpreter reads when it starts.
type Warm struct {
	Program string   `json:"program"`
	Env     []string `json:"env"`
	Code    string   `json:"code"` // the runtime's loader, after -c
	Preload []string `json:"preload"`
}

// Dial connects to who keeps the plan's interpreter.
type Dial func(context.Context) (*net.UnixConn, error)

//go:embed warm.py
var zygote string

// argv is the command line of the interpreter itself, which then reads its program from its standard input.
func (w *Warm) argv() []string {
	boot := fmt.Sprintf("import os\nsource = b''\nwhile len(source) < %d: source += os.read(0, %[1]d - len(source)) or exit()\n"+
		"exec(source, {'__name__': 'rye'})", len(zygote))
	return []string{w.Program, "-c", boot}
}

// warm reads config.warm and config.preload.
func (b *builder) warm(p *Plan) error {
	v, ok := b.config.Get("warm")
	if !ok || v == nil {
		return nil
	}
	on, ok := v.(bool)
	if !ok {
		return chainError(b.in.Chain, "config.warm must be true or false, got %v", v)
	}
	preload, err := stringList(b.config, "preload")
	if err != nil {
		return chainError(b.in.Chain, "%v", err)
	}
	if !on || p.Sandbox != nil || len(b.in.Chain.Elements) < 2 || b.in.Chain.Elements[1].ID != functionRuntime {
		return nil
	}
	if len(p.Argv) < 3 || p.Argv[1] != "-c" || !p.portable() {
		return nil
	}
	w := &Warm{Program: p.Program, Code: p.Argv[2], Preload: preload}
	for _, name := range p.Env.Names() {
		if name != "PYTHONPATH" && readAtStart(name) {
			w.Env = append(w.Env, name+"="+p.Env.value(name))
		}
	}
	for _, text := range slices.Concat(w.Env, preload, []string{w.Program, w.Code}) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return nil
		}
	}
	p.Warm = w
	return nil
}

// portable reports whether the import path means the same whatever the current folder.
func (p *Plan) portable() bool {
	path := p.Env.value("PYTHONPATH")
	return path == "" || !slices.ContainsFunc(filepath.SplitList(path), func(dir string) bool {
		return filepath.Clean(dir) != dir || !filepath.IsAbs(dir)
	})
}

// readAtStart reports whether an interpreter, its C library or the dynamic loader look at the variable only when the
// process starts.
func readAtStart(name string) bool {
	switch name {
	case "HOME", "LANG", "LANGUAGE", "LOCPATH", "GCONV_PATH", "NLSPATH", "TZ", "TZDIR":
		return true
	}
	for _, prefix := range []string{"PYTHON", "__PYVENV", "LC_", "LD_", "DYLD_", "MALLOC_", "GLIBC_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// WarmKey is what tells kept interpreters apart, besides the build of rye and the project. Plans that differ in it share none.
func (p *Plan) WarmKey() []string {
	about, _ := json.Marshal(p.Warm)
	return []string{string(about), p.Env.value("PYTHONPATH"), standing()}
}

// lostInterpreter is the error of a run whose keeper died.
func lostInterpreter(p *Plan, cause error) error {
	return item.Errorf(item.TypeUnavailable, "the kept interpreter %s was lost while the tool ran: %w", p.Program, cause).
		Hint("run it again: what the tool has done by then is done")
}
