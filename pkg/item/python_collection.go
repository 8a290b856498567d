package item

// list reads what stands in square brackets.
func (l *pythonLiterals) list() (any, error) {
	if err := l.advance(); err != nil {
		return nil, err
	}
	return l.items([]any{}, "]")
}

// group reads what stands in parentheses: one value, or a tuple if there is a comma or nothing at all.
func (l *pythonLiterals) group() (any, error) {
	if err := l.advance(); err != nil {
		return nil, err
	}
	if l.at(")") {
		return []any{}, l.advance()
	}
	first, err := l.sum()
	if err != nil {
		return nil, err
	}
	if l.at(")") {
		return first, l.advance()
	}
	return l.more(first, ")")
}

// dictOrSet reads what stands in curly brackets.
func (l *pythonLiterals) dictOrSet() (any, error) {
	if err := l.advance(); err != nil {
		return nil, err
	}
	if l.at("}") {
		return NewObject(), l.advance()
	}
	first, err := l.sum()
	if err != nil {
		return nil, err
	}
	if l.at(":") {
		return l.dict(first)
	}
	return l.more(first, "}")
}

// dict reads a dictionary from the colon behind its first key on.
func (l *pythonLiterals) dict(key any) (any, error) {
	object := NewObject()
	for {
		name, err := pythonKey(key)
		if err != nil {
			return nil, err
		}
		if err := l.advance(); err != nil {
			return nil, err
		}
		value, err := l.value()
		if err != nil {
			return nil, err
		}
		object.Set(name, value)
		if done, err := l.separator("}"); done || err != nil {
			return object, err
		}
		if key, err = l.sum(); err != nil {
			return nil, err
		}
		switch {
		case l.at(":"):
		case l.at(","), l.at("}"):
			return nil, syntaxErrorAt(l.src, l.tok.start, "a colon and a value are missing after the key")
		default:
			return nil, errNotLiteral
		}
	}
}

// more reads the rest of a tuple or a set behind its first element.
func (l *pythonLiterals) more(first any, closing string) (any, error) {
	first, err := plainPython(first)
	if err != nil {
		return nil, err
	}
	list := []any{first}
	if done, err := l.separator(closing); done || err != nil {
		return list, err
	}
	return l.items(list, closing)
}

// items appends values up to the closing bracket.
func (l *pythonLiterals) items(list []any, closing string) (any, error) {
	if l.at(closing) {
		return list, l.advance()
	}
	for {
		value, err := l.value()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		if done, err := l.separator(closing); done || err != nil {
			return list, err
		}
	}
}

// separator passes over what stands behind an element: a comma, or the closing bracket, or both. Anything else belongs to
// an expression that is not a literal.
func (l *pythonLiterals) separator(closing string) (done bool, err error) {
	if l.at(",") {
		if err := l.advance(); err != nil {
			return false, err
		}
		if !l.at(closing) {
			return false, nil
		}
	} else if !l.at(closing) {
		return false, errNotLiteral
	}
	return true, l.advance()
}
