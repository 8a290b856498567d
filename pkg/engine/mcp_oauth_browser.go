package engine

import (
	"fmt"
	"os"
	"runtime"

	"github.com/ryeos/rye/pkg/process"
)

// openers are the programs that open a page in the person's browser. The page is the last argument; none of them is a shell.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// OpenBrowser opens a page in the browser of the person at this terminal. What is opened lives on by itself.
func (e *Engine) OpenBrowser(page string) error {
	argv, ok := openers[runtime.GOOS]
	if !ok {
		argv = []string{"xdg-open"}
	}
	list, _ := lastValue(e.options.Env, "PATH")
	path, err := process.Lookup(argv[0], list, (&mcpStart{Project: e.options.Project}).inProject)
	if err != nil {
		return err
	}
	started, err := process.Detach(process.Program{
		Path: path, Argv: append(append([]string{path}, argv[1:]...), page), Env: e.options.Env, Tag: fmt.Sprintf("browser-%d", os.Getpid()),
	})
	if err != nil {
		return err
	}
	return started.Stdin.Close()
}
