// Package template fills placeholders: `${NAME}` from an environment and `{name}` from parameters, in plain text, in
// trees of values and in shell scripts. It is pure: values come from lookup functions and are never scanned themselves.
package template
