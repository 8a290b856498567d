package item

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
)

// FuzzPython checks that any bytes give a document with nothing but the documented types, or a syntax error with a
// position in the file; that reading twice gives the same; and that a line added to a readable file changes only the
// name that it assigns.
func FuzzPython(f *testing.F) {
	for _, seed := range []string{
		"'''doc'''\n__version__ = \"1.0\"\nCONFIG = {'a': [1, 2.5, None, True], 3: (b'x',)}\n",
		"A: dict[str, int] = {}; B = C = -0x_ff\nif x: D = 1\nE += 1",
		"x = f\"{a['b']!r:>{w}}\" rf'\\{x}' f'''{\n{1: 2}[1]}'''\n",
		"A = 'a' \"b\" + r'\\d' + '\\x41\\u00e9\\N{DASH}\\\n'\n",
		"# coding: latin-1\n\fA = (\r\n1,\\\r\n2)\r",
		"A = {1e16: 18446744073709551616, .5: 1_0j, **x}\nA = lambda x=1: {",
		"if x:\n  \\\nA = 1\nB = [}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := readPython(src)
		again, errAgain := readPython(src)
		if !reflect.DeepEqual(doc, again) || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Fatalf("two readings differ: %v, %v and %v, %v", doc, err, again, errAgain)
		}
		if !isReadable(t, src, doc, err) {
			return
		}
		longer, err := readPython(append(append([]byte{}, src...), "\nadded = 1\n"...))
		if err != nil {
			t.Fatalf("a line at the end makes the file unreadable: %v", err)
		}
		added, _ := longer.Values.Get("added")
		doc.Values.Delete("added")
		longer.Values.Delete("added")
		if added != int64(1) || marshal(t, longer.Values) != marshal(t, doc.Values) {
			t.Fatalf("a line at the end changes the document: got %v = 1 and %s", added, marshal(t, longer.Values))
		}
	})
}

// isReadable checks the result of a reader and reports whether it is a document.
func isReadable(t *testing.T, src []byte, doc *Document, err error) bool {
	t.Helper()
	if err != nil {
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || doc != nil {
			t.Fatalf("got %v, %v, want a syntax error alone", doc, err)
		}
		end := PositionAt(src, len(src))
		if p := syntax.Pos; p.Line < 1 || p.Column < 1 || p.Column > len(src)+1 || p.Line > end.Line+len(src) || syntax.Snippet == "" {
			t.Fatalf("the error has no place in the file: %+v", syntax)
		}
		return false
	}
	for name, value := range doc.Values.All() {
		if _, ok := doc.Positions[name]; !ok {
			t.Fatalf("%s has no position", name)
		}
		if _, ok := doc.Skipped[name]; ok {
			t.Fatalf("%s has a value and is skipped", name)
		}
		checkValue(t, value)
	}
	marshal(t, doc.Values)
	return true
}

func checkValue(t *testing.T, value any) {
	t.Helper()
	switch v := value.(type) {
	case nil, bool, int64, float64, string:
	case []any:
		for _, e := range v {
			checkValue(t, e)
		}
	case *Object:
		for _, e := range v.All() {
			checkValue(t, e)
		}
	default:
		t.Fatalf("a document cannot hold %T", value)
	}
}
