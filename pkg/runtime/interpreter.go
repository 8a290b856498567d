package runtime

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// resolveTimeout bounds an interpreter's resolve_cmd (spec/rye-core §4.2).
const resolveTimeout = 5 * time.Second

// interpreter finds an element's interpreter and sets its variable. A choice that the calling process made itself by
// setting the variable to an existing file stands.
func (b *builder) interpreter(e *chain.Element) error {
	spec := e.Meta.EnvConfig.Interpreter
	if spec == nil || spec.Var == "" {
		return nil
	}
	if chosen := b.env.caller[spec.Var]; filepath.IsAbs(chosen) && isFile(chosen) {
		b.env.set(spec.Var, chosen, OriginProcess)
		return nil
	}
	if b.env.Origin(spec.Var) == OriginDotEnv {
		b.env.unset(spec.Var) // a project file does not choose programs, not even when nothing is found
	}
	found := ""
	switch spec.Type {
	case "local_binary":
		found = b.localBinary(spec)
	case "system_binary":
		found, _ = process.Lookup(spec.Binary, b.env.value("PATH"), b.inProject)
	case "command":
		found = b.resolveCommand(spec)
	default:
		return item.Errorf(item.TypeChain, "env_config.interpreter.type %q of %s is unknown: use local_binary, system_binary or command",
			spec.Type, e.ID)
	}
	if found == "" {
		found = b.context.text(spec.Fallback)
	}
	if found != "" {
		b.env.set(spec.Var, found, e.ID)
	}
	return b.context.err
}

// localBinary looks for a program in the search paths of each root: those that the chain names, then the project. The
// project's own folders count only for the project's own tools: what a user's or a system tool runs must not depend
// on the folder it is called in.
func (b *builder) localBinary(spec *item.Interpreter) string {
	var roots []string
	for _, text := range spec.SearchRoots {
		if root := b.context.text(text); filepath.IsAbs(root) {
			roots = append(roots, root)
		}
	}
	if b.in.Chain.Tool().InProject() && !slices.Contains(roots, b.in.Project) {
		roots = append(roots, b.in.Project)
	}
	for _, root := range roots {
		for _, dir := range spec.SearchPaths {
			for _, name := range binaryNames(spec) {
				file := filepath.Join(root, filepath.FromSlash(dir), name)
				if isExecutable(file) {
					return file
				}
			}
		}
	}
	return ""
}

func binaryNames(spec *item.Interpreter) []string {
	var names []string
	for _, name := range append([]string{spec.Binary}, spec.Candidates...) {
		if name == "" || strings.ContainsAny(name, `/\`) || slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		if runtime.GOOS == "windows" {
			names = append(names, name+".exe", name+".cmd")
		}
	}
	return names
}

// resolveCommand runs resolve_cmd in the project folder and takes the first line that it prints.
func (b *builder) resolveCommand(spec *item.Interpreter) string {
	if len(spec.ResolveCmd) == 0 {
		return ""
	}
	program, err := b.program(spec.ResolveCmd[0])
	if err != nil {
		return ""
	}
	result, err := process.Run(context.Background(), process.Spec{
		Path: program, Argv: spec.ResolveCmd, Env: b.env.List(), Dir: b.in.Project, Limit: 64 << 10, Timeout: resolveTimeout,
	})
	if err != nil || result.ExitCode != 0 || result.TimedOut {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(result.Stdout.String()), "\n")
	return strings.TrimSpace(line)
}

func isFile(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// readStart reads up to most bytes of a file, so that a huge one cannot fill the memory.
func readStart(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

func isExecutable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
