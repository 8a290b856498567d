// Package template fills placeholders: `${NAME}` from an environment and `{name}` from parameters, in plain text, in
// trees of values and in shell scripts (Values), and `${path || path}` and `{input:name}` in state graphs and hooks (Scope),
// whose conditions it tests as well (Condition). It is pure: values come from lookup functions and are never scanned
// themselves.
package template
