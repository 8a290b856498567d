package template

import (
	"strings"
	"testing"
)

func TestIsShell(t *testing.T) {
	for program, want := range map[string]bool{
		"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "ash": true,
		"/bin/bash": true, "./sh": true, `C:\msys\bin\bash.exe`: true, "bash.EXE": true,
		"": false, "fish": false, "python3": false, "/bin/bash/": false, "bashful": false, ".exe": false, "sh -c": false,
		"${SHELL}": false, "/sh/env": false,
	} {
		if got := IsShell(program); got != want {
			t.Errorf("IsShell(%q) = %v", program, got)
		}
	}
}

func TestShellTextIndex(t *testing.T) {
	for argv, want := range map[string]int{
		"":                             -1,
		"bash":                         -1,
		"bash -c":                      -1,
		"/bin/bash -c {command} {a} b": 2,
		"sh -ec TEXT":                  2,
		"zsh -lc TEXT":                 2,
		"bash -ce TEXT":                2,
		"bash -e -c TEXT":              3,
		"bash -c -e TEXT":              3,
		"bash +e -c TEXT":              3,
		"bash -euo pipefail -c TEXT":   4,
		"bash -o pipefail -c -- TEXT":  5,
		"bash --norc -c TEXT":          3,
		"bash --rcfile f -c TEXT":      4,
		"bash script.sh -c {x}":        -1,
		"bash -- -c {x}":               -1,
		"bash - -c {x}":                -1,
		"bash --cc TEXT":               -1,
		"bash -x {tool_path}":          -1,
		"env bash -c TEXT":             3,
		"env -i A=b /bin/sh -c TEXT":   5,
		"busybox sh -c TEXT":           3,
		"timeout 5 bash -c TEXT":       4,
		"env -u sh bash -c TEXT":       5,
		"bash -c TEXT sh -c MORE":      2,
		"python3 -c {code}":            -1,
		"git grep -c sh":               -1,
	} {
		if got := ShellTextIndex(strings.Fields(argv)); got != want {
			t.Errorf("ShellTextIndex(%q) = %d, want %d", argv, got, want)
		}
	}
}
