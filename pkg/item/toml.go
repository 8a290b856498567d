package item

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// readTOML builds the values from the parser's expressions, which come in the order of the file, and leaves every rule
// of the language (duplicate keys, redefined tables) to the decoder.
func readTOML(src []byte) (*Document, error) {
	src, err := treeText(src)
	if err != nil {
		return nil, err
	}
	doc := newDocument()
	r := &tomlReader{src: src, doc: doc, table: doc.Values, atTop: true, cursor: newPositionCursor(src)}
	r.parser.Reset(src)
	// The depth is checked before the decoder runs, because that one recurses over the parts of a key.
	for r.parser.NextExpression() {
		if err := r.expression(r.parser.Expression()); err != nil {
			return nil, err
		}
	}
	var whole map[string]any
	if err := toml.Unmarshal(src, &whole); err != nil {
		return nil, tomlError(src, err)
	}
	return doc, nil
}

type tomlReader struct {
	src    []byte
	parser unstable.Parser
	doc    *Document
	cursor *positionCursor

	table *Object // where key-value lines go
	depth int     // of table
	atTop bool    // table is the document itself
	start int     // offset of the expression at hand
	count int     // keys so far
}

func (r *tomlReader) expression(e *unstable.Node) error {
	keys, value := r.keys(e)
	if e.Kind == unstable.KeyValue {
		r.start = value
		if r.atTop {
			r.place(keys[0])
		}
		return r.keyValue(r.table, e, r.depth)
	}
	r.place(keys[0])
	if err := r.check(len(keys)); err != nil {
		return err
	}
	r.atTop, r.depth = false, len(keys)
	if e.Kind == unstable.Table {
		r.table = descend(r.doc.Values, keys)
		return nil
	}
	parent, last := descend(r.doc.Values, keys[:len(keys)-1]), keys[len(keys)-1]
	v, _ := parent.Get(last)
	list, _ := v.([]any)
	r.table = NewObject()
	parent.Set(last, append(list, r.table))
	return nil
}

// check keeps the bounds at one more key of the given depth.
func (r *tomlReader) check(depth int) error {
	if r.count++; r.count > maxTOMLKeys {
		return syntaxErrorAt(r.src, r.start, "the file has more than %d keys", maxTOMLKeys)
	}
	if depth > maxDepth {
		return tooDeep(r.src, r.start)
	}
	return nil
}

// place records where a top-level name is given its value, or its first one.
func (r *tomlReader) place(name string) {
	if _, placed := r.doc.Positions[name]; !placed {
		r.doc.Positions[name] = r.cursor.at(r.start)
	}
}

// keys splits a dotted key. value is the offset behind it where, after the equals sign, the value starts; the header of
// a table leaves r.start at its key.
func (r *tomlReader) keys(e *unstable.Node) (keys []string, value int) {
	for it := e.Key(); it.Next(); {
		raw := it.Node().Raw
		if len(keys) == 0 {
			r.start = int(raw.Offset)
		}
		value = int(raw.Offset + raw.Length)
		keys = append(keys, string(it.Node().Data))
	}
	for value < len(r.src) && strings.IndexByte(" \t=", r.src[value]) >= 0 {
		value++
	}
	return keys, value
}

func (r *tomlReader) keyValue(table *Object, e *unstable.Node, depth int) error {
	keys, _ := r.keys(e)
	depth += len(keys)
	if err := r.check(depth); err != nil {
		return err
	}
	v, err := r.value(e.Value(), depth)
	if err != nil {
		return err
	}
	descend(table, keys[:len(keys)-1]).Set(keys[len(keys)-1], v)
	return nil
}

// descend walks down a dotted key and makes the tables that are not there yet. In an array of tables the last one counts.
func descend(table *Object, keys []string) *Object {
	for _, key := range keys {
		v, _ := table.Get(key)
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[len(list)-1]
		}
		next, ok := v.(*Object)
		if !ok {
			next = NewObject()
			table.Set(key, next)
		}
		table = next
	}
	return table
}

func (r *tomlReader) value(n *unstable.Node, depth int) (any, error) {
	if depth > maxDepth {
		return nil, tooDeep(r.src, r.start) // arrays have no place of their own
	}
	text := string(n.Data)
	switch n.Kind {
	case unstable.Bool:
		return text == "true", nil
	case unstable.Integer:
		v, _ := strconv.ParseInt(text, 0, 64) // what does not fit is refused by the decoder
		return v, nil
	case unstable.Float:
		v, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, syntaxErrorAt(r.src, int(n.Raw.Offset), "%s has no JSON form: write a finite number, or quote it", Quote(text))
		}
		return v, nil
	case unstable.Array:
		list := []any{}
		for it := n.Children(); it.Next(); {
			v, err := r.value(it.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case unstable.InlineTable:
		table := NewObject()
		for it := n.Children(); it.Next(); {
			if err := r.keyValue(table, it.Node(), depth); err != nil {
				return nil, err
			}
		}
		return table, nil
	}
	return text, nil // strings, and dates as they are written
}

// tomlError turns the library's column, which counts bytes, into ours.
func tomlError(src []byte, err error) error {
	var decode *toml.DecodeError
	if !errors.As(err, &decode) {
		return syntaxErrorAt(src, 0, "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	message := plainText(strings.TrimPrefix(decode.Error(), "toml: "))
	line, column := decode.Position()
	pos := Position{Line: line, Column: 1}
	if lines := bytes.SplitN(src, []byte("\n"), line+1); line <= len(lines) {
		text := lines[line-1]
		pos.Column += utf8.RuneCount(text[:max(0, min(column-1, len(text)))])
	}
	return &SyntaxError{Pos: pos, Message: message, Snippet: snippet(src, pos)}
}
