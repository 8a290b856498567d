package builtin

import (
	"maps"
	"slices"
)

var functions = map[string]Function{
	"file-system/edit_lines": editLines,
	"file-system/glob":       glob,
	"file-system/grep":       grep,
	"file-system/ls":         list,
	"file-system/read":       read,
	"file-system/write":      write,
}

// Lookup finds a native tool by its name, such as "file-system/read".
func Lookup(name string) (Function, bool) {
	f, ok := functions[name]
	return f, ok
}

// Names lists the native tools in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(functions)) }
