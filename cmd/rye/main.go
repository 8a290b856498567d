// Command rye runs signed agent tooling: tools, directives and state graphs that live as files in .ai folders.
package main

import (
	"os"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func main() {
	if sandboxed(os.Args) {
		os.Exit(engine.RunSandboxed(os.Args[2:]))
	}
	os.Exit(run(os.Args, streams{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
}

// run is main with its streams as arguments; the result is the exit code.
func run(args []string, std streams) int {
	a := &app{streams: std}
	if err := checkOpenFiles(); err != nil {
		a.prefs = &preferences{} // the user's are in a file
		return a.fail(err)
	}
	newRoot := newRootCommand
	if isLillux(args[0]) {
		newRoot = newLilluxProgram
	}
	root := newRoot(a)
	root.SetArgs(args[1:])
	root.SetIn(std.stdin)
	root.SetOut(std.stdout)
	root.SetErr(std.stderr)
	cmd, err := root.ExecuteC()
	if isParserError(err) {
		err = item.Usagef("%w", err).Hint("%s --help", cmd.CommandPath())
	}
	if err == nil {
		err = lost(a.unwritten)
	}
	if err != nil {
		return a.fail(err)
	}
	return a.exit
}
