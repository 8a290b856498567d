package item

import (
	"errors"
	"strings"
)

// readPython reads the names that a Python module gives a literal value at its top level, without running Python
// (spec/rye-core §2.2 and §2.3): `NAME = literal`, `NAME: type = literal` and `A = B = literal` at the start of a line
// or behind a semicolon. The last assignment to a name wins. Assignments in the body of an if, try, def or class do not
// count, and neither do names beyond ASCII. A tuple or a set is a []any, bytes are a string.
// It returns a *SyntaxError for text that cannot be cut into tokens, is not UTF-8, or assigns half a literal; it does
// not check the rest of Python's grammar.
func readPython(src []byte) (*Document, error) {
	text, err := pythonText(src)
	if err != nil {
		return nil, err
	}
	m := pythonModule{doc: newDocument()}
	m.src = text
	for m.tok.kind != pythonEnd {
		if err := m.line(); err != nil {
			return nil, err
		}
	}
	return m.doc, nil
}

// pythonModule reads the statements of a file into a Document.
type pythonModule struct {
	pythonLiterals
	doc     *Document
	started bool     // a statement was read: a string can no longer be the docstring
	targets []string // the names that the current statement assigns to
}

// line reads one logical line, however many lines of the file it takes.
func (m *pythonModule) line() error {
	indented := m.indented()
	if err := m.advance(); err != nil {
		return err
	}
	if indented || m.isCompound() {
		m.started = m.started || !m.atEnd()
		return m.skipLine()
	}
	for {
		if err := m.statement(); err != nil || !m.at(";") {
			return err
		}
		if err := m.advance(); err != nil {
			return err
		}
	}
}

// isCompound reports whether the line starts a statement that can have its body on the same line.
func (m *pythonModule) isCompound() bool {
	if m.tok.kind != pythonName {
		return false
	}
	switch m.text() {
	case "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async":
		return true
	}
	return false
}

func (m *pythonModule) skipLine() error {
	for m.tok.kind != pythonNewline && m.tok.kind != pythonEnd {
		if err := m.advance(); err != nil {
			return err
		}
	}
	return nil
}

// statement reads one simple statement as segments between "=": each but the last can be a name to assign to.
func (m *pythonModule) statement() (err error) {
	m.targets = nil
	more := !m.atEnd()
	if more && !m.started && m.tok.kind == pythonString {
		more, err = m.docstring()
	}
	m.started = m.started || !m.atEnd()
	for more && err == nil {
		if m.tok.kind == pythonName && !m.isConstant() {
			more, err = m.name()
		} else {
			more, err = m.last()
		}
	}
	return err
}

// docstring reads the string that starts a file, which is its documentation if nothing else is in the statement.
func (m *pythonModule) docstring() (more bool, err error) {
	m.started = true
	value, err := m.strings()
	if err != nil && !errors.Is(err, errNotLiteral) {
		return false, err
	}
	if text, ok := value.(string); ok && m.atEnd() {
		m.doc.Docstring = strings.TrimSpace(text)
	}
	return m.skipSegment()
}

// name reads a segment that starts with a name: a target, a target with its type, or no literal.
func (m *pythonModule) name() (more bool, err error) {
	start, name := m.tok.start, m.text()
	if err := m.advance(); err != nil {
		return false, err
	}
	switch {
	case m.at("="):
		m.addTarget(name)
	case m.at(":") && len(m.targets) == 0:
		more, err := m.skipSegment()
		if more {
			m.addTarget(name)
		}
		return more, err
	case m.isAugmented():
		m.addTarget(name)
	}
	return m.skipLast(start)
}

func (m *pythonModule) addTarget(name string) {
	if isASCII(name) {
		m.targets = append(m.targets, name)
	}
}

// isAugmented reports whether the current token is "+=" or one of its kin.
func (m *pythonModule) isAugmented() bool {
	if m.tok.kind != pythonOperator {
		return false
	}
	switch op := m.text(); op {
	case "=", "==", "!=", "<=", ">=":
		return false
	default:
		return strings.HasSuffix(op, "=")
	}
}

// last reads a segment as the value of the statement.
func (m *pythonModule) last() (more bool, err error) {
	start := m.tok.start
	value, err := m.tuple()
	switch {
	case err == nil && m.atEnd():
		for _, name := range m.targets {
			m.doc.set(name, value, m.position(start))
		}
		return false, nil
	case err != nil && !errors.Is(err, errNotLiteral):
		return false, err
	}
	return m.skipLast(start)
}

// skipLast passes over a segment that is not a literal. If it is the last one, it is what the targets are assigned.
func (m *pythonModule) skipLast(start int) (more bool, err error) {
	more, err = m.skipSegment()
	if !more && err == nil {
		for _, name := range m.targets {
			m.doc.skip(name, m.position(start))
		}
	}
	return more, err
}

// skipSegment passes over tokens up to the end of the statement, or up to and over an "=", after which there is more.
func (m *pythonModule) skipSegment() (more bool, err error) {
	for !m.atEnd() {
		assigned := len(m.open) == 0 && m.at("=")
		if err := m.advance(); err != nil || assigned {
			return assigned, err
		}
	}
	return false, nil
}
