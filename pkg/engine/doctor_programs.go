package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/owner"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/runtime"
)

// versionTimeout bounds the question for a program's version.
const versionTimeout = 2 * time.Second

// checkInterpreters asks every interpreter of the runtimes that ship for its version.
func (e *Engine) checkInterpreters(ctx context.Context) []Check {
	names := []string{"bash", "python3", "node"}
	checks := make([]Check, len(names)+1)
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { checks[i] = e.checkInterpreter(ctx, name) })
	}
	wg.Wait()
	tsx := filepath.Join(e.options.Project, "node_modules", ".bin", "tsx")
	if _, err := os.Stat(tsx); err == nil {
		checks[len(names)] = passed("tsx", "%s", tsx)
	} else {
		checks[len(names)] = noted("tsx", "not in this project: TypeScript tools need it beside them (npm install --save-dev tsx)")
	}
	return checks
}

func (e *Engine) checkInterpreter(ctx context.Context, name string) Check {
	found, runs, err := runtime.Program(name, e.options.Project, e.options.Env)
	if err != nil {
		return warned(name, "install "+name+", or add its folder to PATH", "not found on PATH: tools that need it do not run")
	}
	version, err := e.versionOf(ctx, runs)
	if err != nil {
		return broken(name, item.ShellWord(runs)+" --version", "%s does not start: %s", runs, item.FirstLine(err.Error()))
	}
	detail := fmt.Sprintf("%s at %s", version, runs)
	if runs != found {
		detail += ", behind the shim " + found
	} else if strings.Contains(filepath.ToSlash(found), "/shims/") || strings.Contains(filepath.ToSlash(found), "/.volta/bin/") {
		return warned(name, "put the folder of the program itself before that of the shims in PATH",
			"%s is a version manager's shim that each run goes through", detail)
	}
	if name == "python3" && older(version, 3, 11) {
		return warned(name, "install Python 3.11 or later", "%s: before 3.11, PYTHONSAFEPATH has no effect", detail)
	}
	return passed(name, "%s", detail)
}

func (e *Engine) versionOf(ctx context.Context, program string) (string, error) {
	result, err := process.Run(ctx, process.Spec{
		Path: program, Argv: []string{program, "--version"}, Env: e.options.Env, Limit: 4 << 10, Timeout: versionTimeout,
	})
	switch {
	case err != nil:
		return "", err
	case result.TimedOut:
		return "", fmt.Errorf("no answer within %s", versionTimeout)
	case result.ExitCode != 0:
		return "", fmt.Errorf("exit code %d: %s", result.ExitCode, item.CleanText(result.Stderr.String()))
	}
	version := versionNumber().FindString(result.Stdout.String())
	if version == "" {
		return "", fmt.Errorf("it does not tell its version")
	}
	return version, nil
}

var versionNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+\.[0-9]+(\.[0-9]+)?`) })

func older(version string, major, minor int) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, _ := strconv.Atoi(first)
	b, _ := strconv.Atoi(second)
	return a < major || a == major && b < minor
}

// checkPath finds entries of PATH that are ignored or that others could put a program into.
func (e *Engine) checkPath(context.Context) []Check {
	value := ""
	for _, entry := range e.options.Env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			value = path
		}
	}
	if value == "" {
		return []Check{broken("PATH", "export PATH=/usr/local/bin:/usr/bin:/bin", "is empty: no interpreter can be found")}
	}
	var relative, inProject, missing []string
	var checks []Check
	for _, dir := range filepath.SplitList(value) {
		rel, err := filepath.Rel(e.options.Project, dir)
		info, statErr := os.Stat(dir)
		switch {
		case !filepath.IsAbs(dir):
			relative = append(relative, strconv.Quote(dir))
		case err == nil && filepath.IsLocal(rel):
			inProject = append(inProject, dir)
		case statErr != nil:
			missing = append(missing, dir)
		default:
			if x := owner.Exposed(info); x.Reason != "" {
				checks = append(checks, warned("PATH", x.Command+" "+item.ShellWord(dir), "%s %s", dir, x.Reason))
			}
		}
	}
	if len(relative) > 0 {
		checks = append(checks, warned("PATH", "remove them where your shell sets PATH",
			"has entries that mean the current folder or depend on it, which rye ignores: %s", some(relative)))
	}
	if len(inProject) > 0 {
		checks = append(checks, noted("PATH", "has folders of the project, where rye looks for no program: %s", some(inProject)))
	}
	if len(missing) > 0 {
		checks = append(checks, noted("PATH", "has folders that do not exist: %s", some(missing)))
	}
	if len(checks) == 0 {
		return []Check{passed("PATH", "%d folders", len(filepath.SplitList(value)))}
	}
	return checks
}
