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
		return
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
