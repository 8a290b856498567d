package template

import (
	"slices"
	"strings"
)

// construct is a piece of shell syntax that can be open at some place of a script.
type construct byte

// The top level of a script is code, like the inside of $(…) and (…).
const (
	inCode       construct = iota
	inSubst                // $(…)
	inParens               // (…)
	inSingle               // '…'
	inDouble               // "…"
	inAnsi                 // $'…'
	inBackticks            // `…`
	inBraces               // ${…}
	inArith                // a group of parentheses within $((…)) or ((…))
	inArithClose           // between the last two parentheses of $((…)) or ((…))
	inComment
)

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

// lookback is how much of a word is kept: one byte more than `case`.
const lookback = 5

func (s *shellScanner) top() construct {
	if len(s.open) == 0 {
		return inCode
	}
	return s.open[len(s.open)-1]
}

func (s *shellScanner) pop() { s.open = s.open[:len(s.open)-1] }

func (s *shellScanner) push(c construct) {
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

// expansion opens what works inside double quotes too. It tells whether c was the opening byte.
func (s *shellScanner) expansion(c byte) bool {
	switch {
	case c == '`':
		s.push(inBackticks)
	case c == '(' && s.prev == '$':
		s.push(inSubst)
	case c == '{' && s.prev == '$':
		s.push(inBraces)
	case c == '[' && s.prev == '$':
		s.lose("after $[…], which not every shell knows")
	default:
		return false
	}
	return true
}

// code takes a byte outside of quotes.
func (s *shellScanner) code(c byte) {
	wordStart := s.prev == 0 || isDelimiter(s.prev)
	switch top := s.top(); {
	case s.expansion(c):
	case c == '\'' || c == '"':
		s.quotation(c)
	case c == '(' && s.prev == '(':
		s.pop() // the first of the two, which has just been pushed
		s.push(inArithClose)
		s.push(inArith)
	case c == '(':
		s.push(inParens)
	case c == ')' && (top == inParens || top == inSubst):
		s.pop()
	case c == '#' && (s.prev == '(' || s.prev == ')'):
		s.lose("after (# or )#, which may start a comment or not")
	case c == '#' && wordStart:
		s.push(inComment)
	case c == '<' && s.prev == '<':
		s.lose("after a here-document (<<)")
	case c == '[' && (isNameByte(s.prev) || wordStart && top == inParens):
		s.index = true
	case c == ']' || c == '\n' || isDelimiter(c) && s.word == "[":
		s.index = false
	}
	s.extend(c)
}

// extend adds a byte to the present word, or ends the word.
func (s *shellScanner) extend(c byte) {
	switch {
	case !isDelimiter(c):
		if len(s.word) < lookback {
			s.word += string(rune(c))
		}
		return
	case s.word == "case" && slices.Contains(s.open, inSubst):
		s.lose("after a case inside $(…), whose patterns have parentheses of their own")
	}
	s.word = ""
}

// quotation opens what a quotation mark outside of double quotes begins.
func (s *shellScanner) quotation(c byte) {
	switch {
	case c == '"':
		s.push(inDouble)
	case s.prev == '$':
		s.push(inAnsi)
	default:
		s.push(inSingle)
	}
}

// braces takes a byte of a parameter expansion.
func (s *shellScanner) braces(c byte) {
	switch {
	case c == '}':
		s.pop()
	case s.prev == '{' && strings.IndexByte(" \t\n|(", c) >= 0:
		s.lose("after ${ with a command or flags in it, which not every shell knows")
	case s.expansion(c):
	case c == '{':
		s.lose("after a { inside ${…}, which not every shell counts")
	case c == '\'' || c == '"':
		if s.bracesQuoted() {
			s.lose(`after a quotation mark inside "${…}", which shells read differently`)
		} else {
			s.quotation(c)
		}
	}
}

// bracesQuoted tells whether the innermost ${…} stands in double quotes, where the quotes in it depend on its operator.
func (s *shellScanner) bracesQuoted() bool {
	for _, c := range slices.Backward(s.open) {
		if c != inBraces {
			return c == inDouble || c == inArith || c == inArithClose
		}
	}
	return false
}

// arith takes a byte of what is arithmetic if it ends in two adjacent parentheses, and nested subshells if not.
func (s *shellScanner) arith(c byte, top construct) {
	switch {
	case top == inArithClose:
		if c != ')' {
			s.lose("after (( without ))")
		}
		s.pop()
	case s.expansion(c):
	case c == '(':
		s.push(inArith)
	case c == ')':
		s.pop()
	case c == '\'' || c == '"' || c == '#' && s.prev != '$':
		s.lose("after a quotation mark or # inside $((…)) or ((…))")
	case c == '<' && s.prev == '<':
		s.lose("after << inside $((…)) or ((…)), which may be a here-document")
	}
}

// isDelimiter is true for the bytes that end a word of the shell.
func isDelimiter(c byte) bool { return strings.IndexByte(" \t\n;&|()<>", c) >= 0 }

func isNameByte(c byte) bool {
	return isEnvName(c, false) || 'a' <= c && c <= 'z'
}
