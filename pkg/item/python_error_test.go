package item

import (
	"errors"
	"strings"
	"testing"
)

func TestReadPythonErrors(t *testing.T) {
	tests := []struct {
		source       string
		line, column int
		message      string // part of it
	}{
		{"A = 'abc\nB = 1", 1, 5, "not closed on its line"},
		{"A = 'abc\\", 1, 5, "not closed"},
		{"x\nA = r'''abc''", 2, 6, "never closed"},
		{"A = f'{x", 1, 7, "never closed"},
		{"A = f'{x:a'", 1, 6, "not closed"},
		{"A = f'a}b'", 1, 8, "closes nothing"},
		{"A = f'{(}'", 1, 9, `does not close '('`},
		{"A = f'abc", 1, 6, "not closed"},
		{"A = [1,", 1, 5, `'[' is never closed: add the matching ']'`},
		{"def f(\n  (1)\n", 1, 6, `'(' is never closed`},
		{"A = (1]", 1, 7, `']' does not close '(' of line 1: write ')'`},
		{"if x:\n  y)", 2, 4, `')' closes nothing`},
		{"A = ", 1, 5, "a value is missing"},
		{"A = B = # none\nC = 1", 1, 15, "a value is missing"},
		{"A: int = ;", 1, 10, "a value is missing"},
		{"A = [,]", 1, 6, "a value is missing"},
		{"A = {1:}", 1, 8, "a value is missing"},
		{"A = {'a': 1, 'b'}", 1, 17, "a colon and a value are missing"},
		{"A = 'a' +", 1, 10, "a value is missing"},
		{"A = -", 1, 6, "a value is missing"},
		{"A = [1 2]", 1, 8, "a comma or an operator is missing"},
		{"A = [\n 'a',\n 1 'b']", 3, 4, "a comma or an operator is missing"},
		{"A = 'a' b'b'", 1, 9, "cannot be joined"},
		{`A = "ü\x4"`, 1, 7, `\x needs 2 hexadecimal digits`},
		{`A = b"\xg0"`, 1, 7, `\x needs 2`},
		{`A = "\u12"`, 1, 6, `\u needs 4`},
		{`A = "\U0001"`, 1, 6, `\U needs 8`},
		{`A = "\U00110000"`, 1, 6, "beyond the last character"},
		{`A = "\ud83d\u12"`, 1, 12, `\u needs 4`},
		{"A = b'ü'", 1, 7, "ASCII"},
		{"A = 0777", 1, 5, "0o17 for octal"},
		{"A = 1__0", 1, 5, "is not a number"},
		{"A = 1_", 1, 5, "is not a number"},
		{"A = 0x", 1, 5, "is not a number"},
		{"A = 0b12", 1, 5, "is not a number"},
		{"A = 1 \\ \n", 1, 7, "backslash"},
		{"A = 1 \\", 1, 7, "backslash"},
		{"A = 1 \\\n", 1, 7, "backslash"},
		{"if x:\n  \\\r\n", 2, 3, "backslash"},
		{"A = 1\nB = $x", 2, 5, `'$' has no meaning`},
		{"A = “x”", 1, 5, `'“' has no meaning`},
		{"A\u00a0= 1", 1, 2, `'\u00a0' has no meaning`},
		{"A = 1\n'\x00'", 2, 2, "NUL"},
		{"A = 1\nB = '\xff'", 2, 6, "not UTF-8"},
		{"# coding: utf-16\nA = 1", 1, 11, "must be UTF-8"},
		{"#!x\n# -*- coding: Latin-1 -*-\nA = 'ü'", 2, 15, "must be UTF-8"},
		{"\n#coding=rot13\n", 2, 9, "must be UTF-8"},
		{strings.Repeat("[", 201), 1, 201, "nested deeper than 200"},
		{strings.Repeat("f'{", 201), 1, 603, "nested deeper than 200"},
		{strings.Repeat("f'{x:{", 201), 1, 603, "nested deeper than 200"},
	}
	for _, test := range tests {
		doc, err := readPython([]byte(test.source))
		checkSyntaxError(t, test.source, doc, err, Position{test.line, test.column}, test.message)
	}
}

func checkSyntaxError(t *testing.T, source string, doc *Document, err error, pos Position, message string) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || doc != nil {
		t.Errorf("%.40q: got %v, %v, want a syntax error", source, doc, err)
		return
	}
	if syntax.Pos != pos || !strings.Contains(syntax.Message, message) {
		t.Errorf("%.40q: got %v %s, want %v %s", source, syntax.Pos, syntax.Message, pos, message)
	}
	if !strings.Contains(syntax.Snippet, ">") {
		t.Errorf("%.40q: the snippet %q shows no line", source, syntax.Snippet)
	}
}
