package item

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

func TestReadTOML(t *testing.T) {
	tests := []struct{ source, want string }{
		{"", `{}`}, {"# c\n", `{}`}, {"\ufeffa = 1", `{"a":1}`},
		{"z = 1\na = 2.50\nm = true\nb = 'x'\n", `{"z":1,"a":2.5,"m":true,"b":"x"}`},
		{"[z]\nb = 1\na = 2\n[a]\nc = \"\"\"\nx\n\"\"\"\n[z.q]\nd = 1", `{"z":{"b":1,"a":2,"q":{"d":1}},"a":{"c":"x\n"}}`},
		{"b.c = 1\na = 2\nb.a = 3", `{"b":{"c":1,"a":3},"a":2}`},
		{"a = [1, 'x', [], {z = 1, y.x = 2}, # c\n]", `{"a":[1,"x",[],{"z":1,"y":{"x":2}}]}`},
		{"[[a]]\nx = 1\n[a.b]\nc = 1\n[[a]]\nx = 2\n[[a.d]]\ne = 1\n[[a.d]]", `{"a":[{"x":1,"b":{"c":1}},{"x":2,"d":[{"e":1},{}]}]}`},
		{"a = 1979-05-27T07:32:00Z\nb = 1979-05-27\nc = 07:32:00\nd = 1979-05-27 07:32:00", `{"a":"1979-05-27T07:32:00Z","b":"1979-05-27","c":"07:32:00","d":"1979-05-27 07:32:00"}`},
		{"a = 0x1_F\nb = 0o17\nc = 0b11\nd = -1_000\ne = +5\nf = 1_0.5e-1", `{"a":31,"b":15,"c":3,"d":-1000,"e":5,"f":1.05}`},
		{"'a b' = 1\n\"\\u00e9\" = 2\n\"\".x = 3", `{"a b":1,"é":2,"":{"x":3}}`},
	}
	for _, tt := range tests {
		doc, err := readTOML([]byte(tt.source))
		if err != nil {
			t.Errorf("%q: %v", tt.source, err)
			continue
		}
		if got := marshal(t, doc.Values); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.source, got, tt.want)
		}
	}
}

func TestReadTOMLPositions(t *testing.T) {
	doc, err := readTOML([]byte("# é\na = [\n  1]\n\"é\".b = 'x'\n[ t . u ]\nx = 1\n[[v]]\n[t.w]\ny = 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Position{"a": {2, 5}, "é": {4, 9}, "t": {5, 3}, "v": {7, 3}}
	if !maps.Equal(doc.Positions, want) {
		t.Errorf("got %v, want %v", doc.Positions, want)
	}
}

func TestReadTOMLErrors(t *testing.T) {
	var many strings.Builder
	for i := range maxTOMLKeys + 1 {
		fmt.Fprintf(&many, "a%d = 1\n", i)
	}
	tests := []struct {
		source  string
		pos     Position
		message string
	}{
		{"a = 'é' b\n", Position{1, 9}, ""},
		{"a = 1\na = 2", Position{2, 1}, "already defined"},
		{"[a]\n[a]\n", Position{2, 2}, "already exists"},
		{"a = {b = 1}\n[a.c]\n", Position{2, 2}, "already exists"},
		{"a = 1\nb = [1, 2\n", Position{2, 10}, "incomplete"},
		{"a = 99999999999999999999", Position{1, 5}, "too large"},
		{"a = 1\nb = [1, -inf]", Position{2, 9}, "no JSON form"},
		{"a = nan", Position{1, 5}, "no JSON form"},
		{"a = 'x\xff'", Position{1, 7}, "not UTF-8"},
		{"b = 1\na = " + strings.Repeat("[", 201) + strings.Repeat("]", 201), Position{2, 1}, "nested deeper than 200"},
		{strings.Repeat("a.", 200) + "a = 1", Position{1, 1}, "nested deeper than 200"},
		{"[" + strings.Repeat("a.", 200) + "a]", Position{1, 2}, "nested deeper than 200"},
		{"a = " + strings.Repeat("[", 20_000), Position{1, 10_005}, "nested more than"},
		{many.String(), Position{10_001, 1}, "more than 10000 keys"},
	}
	for _, tt := range tests {
		doc, err := readTOML([]byte(tt.source))
		checkSyntaxError(t, tt.source, doc, err, tt.pos, tt.message)
	}
}

func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"a = 1\n[b.c]\nd = [1.5, {x = 1979-05-27}]\n[[e]]\nf.g = '''x'''\n[[e]]\n", "a = inf", "a = [", "[a", "a.b = 1\n[a]\n", "a = 07:32:00.5\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := readTOML(data)
		if !isReadable(t, data, doc, err) {
			return
		}
		checkDepth(t, doc.Values, maxDepth+1)
		checkLikeUnmarshal(t, data, doc.Values)
	})
}

// checkLikeUnmarshal compares the values with what the decoder makes of the same file; times are compared by TestReadTOML.
func checkLikeUnmarshal(t *testing.T, data []byte, values *Object) {
	t.Helper()
	want, ok := decodeTOML(t, data)
	if ok && !sameJSON(t, marshal(t, values), want) {
		t.Fatalf("got %s, want %s", marshal(t, values), want)
	}
}

// decodeTOML is the file as JSON; ok is false if it holds dates, which the decoder writes in its own way.
func decodeTOML(t *testing.T, data []byte) (text string, ok bool) {
	t.Helper()
	var whole map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), &whole); err != nil {
		t.Fatalf("accepted what the decoder refuses: %v", err)
	}
	return marshal(t, whole), !holdsTime(whole)
}

func holdsTime(v any) bool {
	switch v := v.(type) {
	case time.Time, toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		return true
	case []any:
		return slices.ContainsFunc(v, holdsTime)
	case map[string]any:
		for _, e := range v {
			if holdsTime(e) {
				return true
			}
		}
	}
	return false
}
