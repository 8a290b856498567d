package template

import (
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// commandName is the one parameter that is shell text itself (design §2 row 12).
const commandName = "command"

// Shell fills the placeholders of a POSIX shell script so that the shell sees every value as one piece of data: as if
// a variable that holds it stood there in double quotes. {command} is shell text and goes in as it is; the quotes that
// it leaves open count for the placeholders after it. Unknown {names} stay as written.
//
// Where no quoting can be safe, or where shells disagree about what is quoted, Shell refuses with an *item.Error of
// type chain: in comments, backticks, ${…}, $((…)), ((…)), $'…' and array subscripts, right after a backslash or an
// unquoted $, and anywhere after a here-document. A text with a NUL byte is refused as well; a value with one is a usage
// error: no argument can hold it.
// Whether a command runs its arguments as code (eval, let, another sh -c, ssh) is not Shell's to know.
func (v Values) Shell(text string) (string, error) {
	if at := strings.IndexByte(text, 0); at >= 0 { // shells drop it, or stop at it: what is quoted depends on which
		pos := item.PositionAt([]byte(text), at)
		return "", item.Errorf(item.TypeChain, "the shell text of the command holds a NUL byte at line %d, column %d", pos.Line, pos.Column)
	}
	var out strings.Builder
	var script shellScanner
	for s := range segments(text) {
		value, ok := v.lookup(s)
		if !ok {
			out.WriteString(s.text)
			script.scan(s.text)
			continue
		}
		data := String(value)
		if s.kind == param && s.name == commandName {
			out.WriteString(data)
			script.scan(data)
		} else if reason := script.refusal(); reason != "" {
			return "", refuse(text, s, reason)
		} else {
			out.WriteString(script.quote(data))
		}
		if strings.IndexByte(data, 0) >= 0 {
			return "", item.Usagef("the value of %s holds a NUL byte, which no command line can carry", item.Quote(s.text)).
				Hint("pass the value without NUL bytes, or through a file or stdin")
		}
	}
	return out.String(), nil
}

func refuse(text string, s segment, reason string) error {
	at := item.PositionAt([]byte(text), s.offset)
	return item.Errorf(item.TypeChain, "the shell text of the command has %s at line %d, column %d, %s: its value cannot be quoted safely there",
		item.Quote(s.text), at.Line, at.Column, reason).
		Hint(`make the script's first line 'VALUE=%s' and write "$VALUE" in this place`, item.Quote(s.text)).
		Hint("or pass the value through an environment variable (env_config.env) or through stdin (input_data)")
}

// quote is data as the shell must read it at the present place. The quotes around the place are closed and opened
// again, because inside double quotes no quoting works for every byte.
func (s *shellScanner) quote(data string) string {
	word := "'" + strings.ReplaceAll(data, "'", `'\''`) + "'"
	s.placed()
	switch s.top() {
	case inSingle:
		return "'" + word + "'"
	case inDouble:
		return `"` + word + `"`
	}
	return word
}
