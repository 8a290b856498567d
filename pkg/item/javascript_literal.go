package item

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// expression reads `term + term … [as T] [satisfies T]` at token i. Like every reader below it returns the index behind
// what it read; depth counts the brackets around. The error errNotLiteral makes the name skipped, any other the file bad.
func (r *jsReader) expression(i, depth int) (v any, next int, err error) {
	v, i, err = r.term(i, depth)
	if err == nil && r.kind(i) == js.AddToken {
		v, i, err = r.concatenation(v, i, depth)
	}
	for err == nil && i < len(r.tokens) && !r.tokens[i].newline {
		switch {
		case r.kind(i) == js.AsToken && r.kind(i+1) == js.ConstToken:
			i += 2
		case r.kind(i) == js.AsToken, r.text(i) == "satisfies":
			i = r.skipType(i + 1)
		default:
			return v, i, nil
		}
	}
	return v, i, err
}

// concatenation joins strings; a sum of numbers is arithmetic, which a literal does not do.
func (r *jsReader) concatenation(first any, i, depth int) (v any, next int, err error) {
	text, ok := first.(string)
	var all strings.Builder
	all.WriteString(text)
	for ok && r.kind(i) == js.AddToken {
		if v, i, err = r.term(i+1, depth); err != nil {
			return nil, i, err
		}
		text, ok = v.(string)
		all.WriteString(text)
	}
	if !ok {
		return nil, i, errNotLiteral
	}
	return all.String(), i, nil
}

func (r *jsReader) term(i, depth int) (v any, next int, err error) {
	if depth > maxDepth {
		return nil, i, tooDeep(r.src, r.offset(i))
	}
	switch kind := r.kind(i); {
	case kind == js.StringToken, kind == js.TemplateToken:
		v, err = r.unescape(r.tokens[i])
		return v, i + 1, err
	case js.IsNumeric(kind):
		v, err = jsNumber(r.text(i))
		return v, i + 1, err
	case kind == js.TrueToken, kind == js.FalseToken:
		return kind == js.TrueToken, i + 1, nil
	case kind == js.NullToken:
		return nil, i + 1, nil
	case kind == js.SubToken, kind == js.AddToken:
		return r.signed(i, depth)
	case kind == js.OpenParenToken:
		return r.parenthesized(i, depth)
	case kind == js.OpenBracketToken:
		return r.list(i, depth)
	case kind == js.OpenBraceToken:
		return r.object(i, depth)
	case r.text(i) == "Object" && r.kind(i+1) == js.DotToken && r.text(i+2) == "freeze" && r.kind(i+3) == js.OpenParenToken:
		return r.parenthesized(i+3, depth)
	}
	return nil, i, errNotLiteral
}

func (r *jsReader) signed(i, depth int) (v any, next int, err error) {
	v, next, err = r.term(i+1, depth+1)
	if err != nil {
		return nil, next, err
	}
	minus := r.kind(i) == js.SubToken
	switch n := v.(type) {
	case int64:
		if minus {
			n = -n
		}
		return n, next, nil
	case float64:
		if minus {
			n = -n
		}
		return n, next, nil
	}
	return nil, next, errNotLiteral
}

func (r *jsReader) parenthesized(i, depth int) (v any, next int, err error) {
	end := r.tokens[i].match
	v, next, err = r.expression(i+1, depth+1)
	if err == nil && next != end {
		err = errNotLiteral
	}
	return v, end + 1, err
}

func (r *jsReader) list(i, depth int) (v any, next int, err error) {
	end := r.tokens[i].match
	list := []any{}
	for i++; i < end; {
		if v, i, err = r.expression(i, depth+1); err != nil {
			return nil, i, err
		}
		list = append(list, v)
		if i, err = r.separator(i, end); err != nil {
			return nil, i, err
		}
	}
	return list, end + 1, nil
}

func (r *jsReader) object(i, depth int) (v any, next int, err error) {
	end := r.tokens[i].match
	object := NewObject()
	for i++; i < end; {
		var key string
		if key, i, err = r.key(i, depth); err != nil {
			return nil, i, err
		}
		if r.kind(i) != js.ColonToken {
			return nil, i, errNotLiteral // a method, or the shorthand for a variable
		}
		i++
		if r.text(i) == "undefined" && (i+1 == end || r.kind(i+1) == js.CommaToken) {
			i++ // JSON.stringify leaves such a property out, and so do we
		} else {
			if v, i, err = r.expression(i, depth+1); err != nil {
				return nil, i, err
			}
			object.Set(key, v)
		}
		if i, err = r.separator(i, end); err != nil {
			return nil, i, err
		}
	}
	return object, end + 1, nil
}

// separator passes the comma between two elements, or stops at the end of their bracket.
func (r *jsReader) separator(i, end int) (next int, err error) {
	switch {
	case i == end:
		return i, nil
	case r.kind(i) == js.CommaToken:
		return i + 1, nil
	}
	return i, errNotLiteral
}

func (r *jsReader) key(i, depth int) (key string, next int, err error) {
	next = i + 1
	switch kind := r.kind(i); {
	case js.IsIdentifierName(kind):
		if key = r.text(i); strings.Contains(key, `\`) {
			err = errNotLiteral
		}
	case kind == js.StringToken:
		key, err = r.unescape(r.tokens[i])
	case js.IsNumeric(kind):
		var number any
		if number, err = jsNumber(r.text(i)); err == nil {
			key, err = jsPropertyName(number)
		}
	case kind == js.OpenBracketToken:
		v, inside, err := r.expression(i+1, depth+1)
		if err == nil && inside != r.tokens[i].match {
			err = errNotLiteral
		}
		if err == nil {
			key, err = jsPropertyName(v)
		}
		return key, r.tokens[i].match + 1, err
	default:
		err = errNotLiteral
	}
	if key == "__proto__" { // it sets the prototype and makes no property
		err = errNotLiteral
	}
	return key, next, err
}

// jsPropertyName is how the language writes a computed or numeric key.
func jsPropertyName(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64, float64:
		name, err := json.Marshal(v) // JSON writes numbers as JavaScript does
		return string(name), err
	}
	return "", errNotLiteral
}

// jsNumber reads a number token. The language has one number type, so 1, 1.0 and 1e0 are the same integer; what a
// double cannot hold exactly as an integer stays a float64. BigInts have no place in JSON.
func jsNumber(text string) (any, error) {
	text = strings.ReplaceAll(text, "_", "")
	var f float64
	var err error
	if base := jsBase(text); base != 10 {
		n, ok := new(big.Int).SetString(text[2:], base)
		if !ok {
			return nil, errNotLiteral
		}
		f, _ = n.Float64()
	} else if f, err = strconv.ParseFloat(text, 64); err != nil {
		return nil, errNotLiteral
	}
	switch {
	case math.IsInf(f, 0):
		return nil, errNotLiteral
	case f == math.Trunc(f) && math.Abs(f) <= 1<<53:
		return int64(f), nil
	}
	return f, nil
}

func jsBase(text string) int {
	if len(text) > 2 && text[0] == '0' {
		switch text[1] | 0x20 {
		case 'x':
			return 16
		case 'o':
			return 8
		case 'b':
			return 2
		}
	}
	return 10
}
