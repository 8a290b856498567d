package template

import "slices"

// shellScanner follows the quoting of a shell script byte by byte. It knows the syntax that sh, bash, dash, ksh and zsh
// share; where they part, or where only a full parser could go on, it gives up for the rest of the script: a
// placeholder refused too many is a message to read, one accepted too many is a command run.
type shellScanner struct {
	open    []construct // innermost last
	escaped bool        // an unpaired backslash came last
	prev    byte        // the last byte, 'x' for an escaped one and for the second $ of $$
	word    string      // the first bytes of the present unquoted word, enough to know `case` and `[`
	index   bool        // in the subscript of an array, which the shell evaluates even if it is quoted
	lost    string      // why placeholders are refused from here on
}

const (
	lookback = 5   // how much of a word is kept: one byte more than `case`
	maxOpen  = 256 // constructs in one another; it bounds the work for one placeholder
)

func (s *shellScanner) top() construct {
	if len(s.open) == 0 {
		return inCode
	}
	return s.open[len(s.open)-1]
}

func (s *shellScanner) pop() { s.open = s.open[:len(s.open)-1] }

func (s *shellScanner) push(c construct) {
	if len(s.open) == maxOpen {
		s.lose("after too many open quotes and parentheses")
	}
	s.open = append(s.open, c)
	s.word = ""
}

// lose gives up. Nothing is scanned after it: open says no longer where the script is.
func (s *shellScanner) lose(reason string) { s.lost = reason }

// refusal tells why a value cannot be placed here, "" if it can.
func (s *shellScanner) refusal() string {
	top := s.top()
	switch {
	case s.lost != "":
		return s.lost
	case s.escaped:
		return "right after a backslash"
	case top == inComment:
		return "in a comment"
	case slices.Contains(s.open, inBackticks):
		return "inside `…`"
	case slices.Contains(s.open, inAnsi):
		return "inside $'…'"
	case slices.Contains(s.open, inBraces):
		return "inside ${…}"
	case slices.Contains(s.open, inArithClose):
		return "inside $((…)) or ((…))"
	case s.index:
		return "inside the subscript of an array"
	case s.prev == '$' && top != inSingle && top != inDouble:
		return "right after a $"
	}
	return ""
}

// placed records that quoted data now stands in the script.
func (s *shellScanner) placed() {
	s.prev = 'x'
	s.extend('\'')
}

func (s *shellScanner) scan(script string) {
	for i := 0; i < len(script) && s.lost == ""; i++ {
		s.step(script[i])
	}
}

func (s *shellScanner) step(c byte) {
	if s.escaped {
		s.escape(c)
		return
	}
	top := s.top()
	if c == '\\' && top != inSingle && top != inComment {
		s.escaped = true
		return
	}
	switch top {
	case inSingle, inAnsi:
		s.closeOn(c, '\'')
	case inBackticks:
		s.closeOn(c, '`')
	case inComment:
		s.closeOn(c, '\n')
	case inDouble:
		if !s.expansion(c) {
			s.closeOn(c, '"')
		}
	case inBraces:
		s.braces(c)
	case inArith, inArithClose:
		s.arith(c, top)
	default:
		s.code(c)
	}
	if c == '$' && s.prev == '$' {
		c = 'x'
	}
	s.prev = c
}

// escape takes the byte after a backslash. An escaped line end is no byte at all: `$\` and a line that starts with `(`
// are a substitution, so neither prev nor word may change.
func (s *shellScanner) escape(c byte) {
	s.escaped = false
	switch top := s.top(); {
	case top == inArith || top == inArithClose:
		s.lose("after a backslash inside $((…)) or ((…))")
	case top == inAnsi && c == '\'':
		s.lose(`after $'…\'…', which not every shell ends at the same quote`)
	}
	if c != '\n' {
		s.prev = 'x'
		s.extend('\\')
	}
}

func (s *shellScanner) closeOn(c, end byte) {
	if c == end {
		s.pop()
	}
}
