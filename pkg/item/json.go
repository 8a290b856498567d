package item

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendJSON writes a parameter value as JSON and keeps every byte of its strings: bytes that are not UTF-8 are written
// as they are, where encoding/json would replace them. Tools that must take arbitrary bytes (file names) then get them.
// Values are nil, bool, string, json.Number, json.RawMessage, Go integers and floats, []any, map[string]any and *Object.
func AppendJSON(out []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return appendString(out, v), nil
	case []any:
		return appendList(out, v)
	case map[string]any:
		return appendMap(out, v)
	case *Object:
		return appendFields(out, v.Len(), v.All())
	case json.RawMessage:
		return append(out, v...), nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding a parameter as JSON: %w", err)
	}
	return append(out, b...), nil
}

func appendList(out []byte, list []any) (_ []byte, err error) {
	out = append(out, '[')
	for i, e := range list {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = AppendJSON(out, e); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func appendMap(out []byte, m map[string]any) ([]byte, error) {
	return appendFields(out, len(m), func(yield func(string, any) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	})
}

func appendFields(out []byte, n int, fields func(func(string, any) bool)) (_ []byte, err error) {
	out = append(out, '{')
	first := true
	for k, e := range fields {
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(appendString(out, k), ':')
		if out, err = AppendJSON(out, e); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c < ' ' || c == 0x7f:
			out = append(out, '\\', 'u', '0', '0', hexDigit(c>>4), hexDigit(c&15))
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

func hexDigit(n byte) byte { return "0123456789abcdef"[n] }

// DecodeParameters reads one JSON object. Numbers keep their digits, so that large integers reach the tool unchanged.
// Bytes that are not UTF-8 are refused: the decoder would replace them without a word.
func DecodeParameters(data []byte) (map[string]any, error) {
	if !utf8.Valid(data) {
		pos := PositionAt(data, bytes.IndexFunc(data, func(r rune) bool { return r == utf8.RuneError }))
		return nil, Usagef("the parameters are not UTF-8, as JSON must be (near line %d, column %d)", pos.Line, pos.Column).
			Hint("pass a value with such bytes by itself: --name VALUE")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var params map[string]any
	if err := dec.Decode(&params); err != nil {
		return nil, notAnObject(data, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		pos := PositionAt(data, int(dec.InputOffset()))
		return nil, Usagef("the parameters hold more than one JSON value (line %d, column %d)", pos.Line, pos.Column)
	}
	if at := loneSurrogate(data); at >= 0 {
		pos := PositionAt(data, at)
		return nil, Usagef("the parameters hold half of a surrogate pair, which is no character (line %d, column %d)", pos.Line, pos.Column)
	}
	if params == nil {
		params = map[string]any{}
	}
	return params, nil
}

// notAnObject says in the words of JSON, not of Go, why data cannot be parameters.
func notAnObject(data []byte, err error) error {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return Usagef("the parameters are not a JSON object but of type %s", other.Value)
	}
	at := len(data)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset > 0 {
		at = int(syntax.Offset) - 1
	}
	pos := PositionAt(data, at)
	return Usagef("the parameters are not a JSON object (line %d, column %d): %w", pos.Line, pos.Column, err)
}

// Number turns text into a JSON number if it is one, exactly as JSON writes numbers.
func Number(text string) (json.Number, bool) {
	if !json.Valid([]byte(text)) || text == "" || !(text[0] == '-' || text[0] >= '0' && text[0] <= '9') {
		return "", false
	}
	return json.Number(text), true
}

// Float is a number's value; ok is false for anything that is not a number.
func Float(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil
	}
	return 0, false
}

// CleanText makes text safe for a JSON document: each run of bytes that are not UTF-8 becomes U+FFFD. Outputs are large, so
// the result is measured first and then made in one piece.
func CleanText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	length := 0
	validParts(s, func(part string) { length += len(part) })
	var clean strings.Builder
	clean.Grow(length)
	validParts(s, func(part string) { clean.WriteString(part) })
	return clean.String()
}

// validParts gives the parts of CleanText's result in order.
func validParts(s string, yield func(part string)) {
	start, broken := 0, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if invalid := r == utf8.RuneError && size == 1; invalid != broken {
			if invalid {
				yield(s[start:i])
				yield("\uFFFD")
			}
			start, broken = i, invalid
		}
		i += size
	}
	if !broken {
		yield(s[start:])
	}
}
