package template

import (
	"slices"
	"strings"
)

var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}

// IsShell tells from the name of a program, with or without directories, whether it is a POSIX shell.
func IsShell(program string) bool {
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	if ext := len(base) - len(".exe"); ext > 0 && strings.EqualFold(base[ext:], ".exe") {
		base = base[:ext]
	}
	return slices.Contains(shells, base)
}

// ShellTextIndex finds the argument that is shell text: the one after `-c` (`-ec`, `-lc`) of a shell, which may stand
// behind other programs (`env A=1 bash -c TEXT`, `busybox sh -c TEXT`). It is -1 if there is none. argv are templates,
// but a program that is itself a placeholder tells nothing: fill argv[0] first.
func ShellTextIndex(argv []string) int {
	for i, arg := range argv {
		if IsShell(arg) {
			if at := commandString(argv[i+1:]); at >= 0 {
				return i + 1 + at
			}
		}
	}
	return -1
}

// commandString is the index of the first argument behind a shell's options, if `c` is among them, else -1.
func commandString(args []string) int {
	found := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--" || arg == "-":
			i++
			if found && i < len(args) {
				return i
			}
			return -1
		case arg == "--rcfile" || arg == "--init-file":
			i++
		case strings.HasPrefix(arg, "--"):
		case len(arg) > 1 && (arg[0] == '-' || arg[0] == '+'):
			found = found || arg[0] == '-' && strings.Contains(arg, "c")
			if strings.ContainsAny(arg, "oO") {
				i++ // the name of an option: -o pipefail
			}
		case found:
			return i
		default:
			return -1
		}
	}
	return -1
}
