package cas

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
	"unicode/utf16"

	"github.com/ryeos/rye/pkg/item"
)

// Canonical writes a JSON text in the one form that is hashed: keys sorted, no white space, everything that is no printable
// ASCII as \u escapes in lower case. Of a key that comes twice the last value counts.
//
// It is the form of lillux, and that of Python's json.dumps(sort_keys=True, separators=(",", ":")) but for very large and
// very small fractions: 1e16 and 0.00001, where Python writes 1e+16 and 1e-05. Integers keep all their digits.
func Canonical(text []byte) ([]byte, error) {
	if !item.Lossless(text) {
		return nil, errors.New("invalid JSON: it holds bytes that are not UTF-8, or half of a surrogate pair")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("invalid JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("invalid JSON: there is more than one value")
	}
	return appendCanonical(make([]byte, 0, len(text)), value)
}

func appendCanonical(out []byte, value any) (_ []byte, err error) {
	switch v := value.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, v), nil
	case string:
		return appendText(out, v), nil
	case json.Number:
		return appendNumber(out, string(v))
	case []any:
		out = append(out, '[')
		for i, e := range v {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendCanonical(out, e); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case map[string]any:
		out = append(out, '{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendCanonical(append(appendText(out, key), ':'), v[key]); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	}
	return nil, fmt.Errorf("%T is no JSON value", value)
}

var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

func appendText(out []byte, text string) []byte {
	out = append(out, '"')
	for _, r := range text {
		short, isShort := shortEscapes[r]
		switch {
		case isShort:
			out = append(out, short...)
		case ' ' <= r && r <= '~':
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return append(out, '"')
}

// appendNumber keeps integers, and writes fractions with as few digits as tell them from all others.
func appendNumber(out []byte, text string) ([]byte, error) {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			text = "0"
		}
		return append(out, text...), nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("invalid JSON: the number %s is out of range", item.Quote(text))
	}
	const leastPlain, mostPlain = 1e-5, 1e16 // between them fractions are written without an exponent
	size := max(number, -number)
	if size == 0 || leastPlain <= size && size < mostPlain {
		plain := strconv.FormatFloat(number, 'f', -1, 64)
		if !strings.Contains(plain, ".") {
			plain += ".0"
		}
		return append(out, plain...), nil
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(number, 'e', -1, 64), "e")
	power, err := strconv.Atoi(exponent)
	return fmt.Appendf(out, "%se%d", mantissa, power), err
}
