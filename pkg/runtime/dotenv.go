package runtime

import (
	"bytes"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/ryeos/rye/pkg/item"
)

// Variable is one assignment of a `.env` file.
type Variable struct{ Name, Value string }

// maxDotEnv bounds a `.env` file, in bytes.
const maxDotEnv = 1 << 20

// DotEnv reads a project's `.env`: the variables that it may set, in its order, and the names of those that it may not. There
// need not be one.
func DotEnv(project string) (vars []Variable, blocked []string, err error) {
	file := filepath.Join(project, ".env")
	if !isFile(file) { // a named pipe would wait for a writer
		return nil, nil, nil
	}
	data, err := readStart(file, maxDotEnv+1) // one byte too many is reported as such
	if err != nil {
		return nil, nil, nil // not for us to read
	}
	all, err := parseDotEnv(file, data)
	for _, v := range all {
		if Blocked(v.Name) {
			blocked = append(blocked, v.Name)
		} else {
			vars = append(vars, v)
		}
	}
	return vars, blocked, err
}

// parseDotEnv reads NAME=value lines: an optional `export`, values bare (a # after a blank starts a comment), in single
// quotes (verbatim) or in double quotes (\n, \r, \t, \", \\ and \$ are escapes); quoted values may span lines. Nothing
// is ever expanded: a value is data (design §2 row 11).
func parseDotEnv(file string, data []byte) ([]Variable, error) {
	if len(data) > maxDotEnv {
		return nil, item.Usagef("%s is larger than %d bytes", file, maxDotEnv)
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return nil, dotEnvError(file, data, at, "a NUL byte")
	}
	var vars []Variable
	rest := strings.TrimPrefix(string(data), "\uFEFF")
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export "))
		value = strings.TrimSpace(value)
		if !ok || strings.HasPrefix(name, "#") || !isVariableName(name) {
			rest = after
			continue
		}
		if value != "" && (value[0] == '\'' || value[0] == '"') {
			// A quoted value may go on after this line: read it from the text, not from the line.
			start := len(rest) - len(strings.TrimLeftFunc(rest[strings.IndexByte(rest, '=')+1:], unicode.IsSpace))
			text, used, closed := quotedValue(rest[start:])
			if !closed {
				return nil, dotEnvError(file, data, len(data)-len(rest)+start, "a quote that is never closed")
			}
			vars = append(vars, Variable{name, text})
			_, rest, _ = strings.Cut(rest[start+used:], "\n")
			continue
		}
		vars = append(vars, Variable{name, withoutComment(value)})
		rest = after
	}
	return vars, nil
}

func dotEnvError(file string, data []byte, offset int, what string) error {
	pos := item.PositionAt(data, offset)
	return item.Usagef("%s:%d:%d: %s", file, pos.Line, pos.Column, what)
}

// quotedValue reads a value that starts with a quote and gives its text and how many bytes it takes.
func quotedValue(s string) (text string, used int, closed bool) {
	quote := s[0]
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return out.String(), i + 1, true
		case c == '\\' && quote == '"' && i+1 < len(s):
			i++
			out.WriteString(unescape(s[i]))
		default:
			out.WriteByte(c)
		}
	}
	return "", 0, false
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\', '$', '\'', '`':
		return string(c)
	}
	return "\\" + string(c)
}

func withoutComment(value string) string {
	for i := range len(value) {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') {
			return strings.TrimSpace(value[:i])
		}
	}
	return value
}

func isVariableName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
