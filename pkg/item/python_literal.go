package item

import (
	"errors"
	"math"
	"math/big"
	"strings"
)

// errNotLiteral says that an expression is not made of literals only. It is no fault of the file: the reader stands
// somewhere inside the expression, and its caller passes over the rest.
var errNotLiteral = errors.New("not a literal")

// pythonLiterals reads the expressions whose value is known without running them: what ast.literal_eval accepts, except
// for complex numbers, and strings joined with "+".
type pythonLiterals struct {
	pythonScanner
	json bool // the literal may be JSON too: true, false, null and "\/" have their meaning there
}

// tuple reads an expression, or several with commas between them and without brackets.
func (l *pythonLiterals) tuple() (any, error) {
	value, err := l.value()
	if err != nil || !l.at(",") {
		return value, err
	}
	list := []any{value}
	for l.at(",") {
		if err := l.advance(); err != nil {
			return nil, err
		}
		if l.atEnd() || l.at("=") {
			break
		}
		if value, err = l.value(); err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

// value reads one expression as a value that a Document may hold.
func (l *pythonLiterals) value() (any, error) {
	value, err := l.sum()
	if err != nil {
		return nil, err
	}
	return plainPython(value)
}

// plainPython turns what only Python tells apart into what a Document may hold. JSON has no infinity, and so numbers
// beyond the largest float64 are no literals.
func plainPython(value any) (any, error) {
	switch v := value.(type) {
	case pythonBytes:
		return string(v), nil
	case *big.Int:
		value, _ = v.Float64()
	}
	if f, ok := value.(float64); ok && math.IsInf(f, 0) {
		return nil, errNotLiteral
	}
	return value, nil
}

// sum reads an operand, or strings with "+" between them.
func (l *pythonLiterals) sum() (any, error) {
	value, err := l.operand()
	if err != nil {
		return nil, err
	}
	if l.at("+") {
		var text strings.Builder
		for {
			part, ok := value.(string)
			if !ok {
				return nil, errNotLiteral
			}
			text.WriteString(part)
			if !l.at("+") {
				break
			}
			if err := l.advance(); err != nil {
				return nil, err
			}
			if value, err = l.operand(); err != nil {
				return nil, err
			}
		}
		value = text.String()
	}
	if l.tok.kind == pythonNumber || l.tok.kind == pythonString {
		return nil, syntaxErrorAt(l.src, l.tok.start, "a comma or an operator is missing before %s; put text in quotes",
			Quote(l.text()))
	}
	return value, nil
}

// operand reads one literal. What cannot start any expression is an error of the file.
func (l *pythonLiterals) operand() (any, error) {
	switch l.tok.kind {
	case pythonString:
		return l.strings()
	case pythonNumber:
		return l.number("")
	case pythonName:
		return l.constant()
	case pythonNewline, pythonEnd:
		return nil, syntaxErrorAt(l.src, l.tok.start, "a value is missing at the end of the line")
	case pythonOperator:
		switch l.text() {
		case "(":
			return l.group()
		case "[":
			return l.list()
		case "{":
			return l.dictOrSet()
		case "+", "-":
			return l.signed()
		case ")", "]", "}", ",", ":", ";", "=":
			return nil, syntaxErrorAt(l.src, l.tok.start, "a value is missing before %s", Quote(l.text()))
		}
	}
	return nil, errNotLiteral
}

// isConstant reports whether the current token is one of the names that stand for a value.
func (l *pythonLiterals) isConstant() bool {
	switch l.text() {
	case "True", "False", "None":
		return true
	case "true", "false", "null":
		return l.json
	}
	return false
}

func (l *pythonLiterals) constant() (any, error) {
	if !l.isConstant() {
		return nil, errNotLiteral
	}
	name := l.text()
	if err := l.advance(); err != nil {
		return nil, err
	}
	switch name {
	case "True", "true":
		return true, nil
	case "False", "false":
		return false, nil
	}
	return nil, nil
}

// signed reads a number with its sign.
func (l *pythonLiterals) signed() (any, error) {
	sign := strings.TrimPrefix(l.text(), "+")
	if err := l.advance(); err != nil {
		return nil, err
	}
	if l.tok.kind == pythonNumber {
		return l.number(sign)
	}
	if l.atEnd() {
		return l.operand() // for its error
	}
	return nil, errNotLiteral
}
