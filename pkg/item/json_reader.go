package item

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// readJSON reads the members of one JSON object. encoding/json alone would let a later duplicate key win silently.
func readJSON(src []byte) (*Document, error) {
	src, err := sourceText(src)
	if err != nil {
		return nil, err
	}
	if err := validateJSON(src); err != nil {
		return nil, err
	}
	r := &jsonReader{src: src, dec: json.NewDecoder(bytes.NewReader(src)), cursor: newPositionCursor(src)}
	r.dec.UseNumber()
	start, token, err := r.next()
	if err != nil {
		return nil, err
	}
	if token != json.Delim('{') {
		return nil, syntaxErrorAt(src, start, "the top level must be an object, as in {\"version\": \"1.0.0\"}")
	}
	doc := newDocument()
	err = r.members(func(key string, start int, token json.Token) error {
		v, err := r.value(start, token, 1)
		doc.set(key, v, r.cursor.at(start))
		return err
	})
	if err != nil {
		return nil, err
	}
	return doc, nil
}

type jsonReader struct {
	src    []byte
	dec    *json.Decoder
	cursor *positionCursor
}

// validateJSON finds every syntax error, data behind the value included, so that the walk over the tokens meets none.
func validateJSON(src []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(src, &whole)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	offset := int(syntax.Offset)
	if !strings.HasPrefix(syntax.Error(), "unexpected end") {
		offset-- // the character that was read last is the wrong one
	}
	return syntaxErrorAt(src, offset, "%s", syntax.Error())
}

// next reads a token and the offset where it starts.
func (r *jsonReader) next() (start int, token json.Token, err error) {
	start = int(r.dec.InputOffset())
	for start < len(r.src) && strings.IndexByte(" \t\r\n,:", r.src[start]) >= 0 {
		start++
	}
	token, err = r.dec.Token()
	return start, token, err
}

// members calls member for every key of an object with the first token of its value.
func (r *jsonReader) members(member func(key string, start int, token json.Token) error) error {
	seen := map[string]int{}
	for r.dec.More() {
		at, name, err := r.next()
		if err != nil {
			return err
		}
		key := name.(string)
		if first, again := seen[key]; again {
			return syntaxErrorAt(r.src, at, "duplicate key %s: line %d has it already", Quote(key), PositionAt(r.src, first).Line)
		}
		seen[key] = at
		start, token, err := r.next()
		if err != nil {
			return err
		}
		if err := member(key, start, token); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) value(start int, token json.Token, depth int) (any, error) {
	if depth > maxDepth {
		return nil, tooDeep(r.src, start)
	}
	switch token := token.(type) {
	case json.Number:
		return r.number(start, string(token))
	case json.Delim:
		if token == '[' {
			return r.list(depth)
		}
		object := NewObject()
		err := r.members(func(key string, start int, token json.Token) error {
			v, err := r.value(start, token, depth+1)
			object.Set(key, v)
			return err
		})
		return object, err
	}
	return token, nil
}

func (r *jsonReader) list(depth int) (any, error) {
	list := []any{}
	for r.dec.More() {
		start, token, err := r.next()
		if err != nil {
			return nil, err
		}
		v, err := r.value(start, token, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := r.dec.Token()
	return list, err
}

func (r *jsonReader) number(start int, text string) (any, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, syntaxErrorAt(r.src, start, "the number %s is too large", Quote(text))
	}
	return f, nil
}
