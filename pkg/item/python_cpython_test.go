package item

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// pythonModuleNames is what CPython finds in one file.
type pythonModuleNames struct {
	Values  map[string]any `json:"values"`
	Skipped []string       `json:"skipped"`
	Doc     string         `json:"doc"`
}

// TestReadPythonLikeCPython compares readPython with CPython's parser on modules of its standard library.
func TestReadPythonLikeCPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so that there is no CPython to compare with")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-I", "testdata/python/literals.py", "300")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, stderr.String())
	}
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	decoder.UseNumber()
	var files map[string]pythonModuleNames
	if err := decoder.Decode(&files); err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("the standard library has only %d readable modules; too few to compare", len(files))
	}
	different := 0
	for path, want := range files {
		if problems := comparePython(path, want); len(problems) > 0 {
			different++
			t.Logf("%s:\n\t%s", path, strings.Join(problems, "\n\t"))
			if slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, "invented") }) {
				t.Errorf("%s: names were invented", path)
			}
		}
	}
	t.Logf("%d files, %d different", len(files), different)
	if different*1000 > len(files)*5 {
		t.Errorf("%d of %d files differ; at most 0.5 %% may", different, len(files))
	}
}

// comparePython lists how readPython differs from CPython in one file.
func comparePython(path string, want pythonModuleNames) (problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	src, err := os.ReadFile(path)
	if err != nil {
		return []string{err.Error()}
	}
	doc, err := readPython(src)
	if err != nil {
		return []string{err.Error()}
	}
	for name, value := range doc.Values.All() {
		expected, ok := want.Values[name]
		if !ok {
			report("invented %s = %.100v", name, value)
		} else if got := byteChars(Plain(value)); !reflect.DeepEqual(got, numbers(expected)) {
			report("%s: got %.100v, want %.100v", name, got, expected)
		}
	}
	for name := range want.Values {
		if _, ok := doc.Values.Get(name); !ok {
			report("missing %s", name)
		}
	}
	for _, name := range want.Skipped {
		if _, ok := doc.Skipped[name]; !ok {
			report("not skipped: %s", name)
		}
	}
	if len(doc.Skipped) > len(want.Skipped) {
		report("skipped %v, want %v", doc.Skipped, want.Skipped)
	}
	if doc := byteChars(doc.Docstring); doc != want.Doc {
		report("docstring %.100q, want %.100q", doc, want.Doc)
	}
	return problems
}

// byteChars writes every byte of the strings in a value as one character, so that JSON can hold it.
func byteChars(v any) any {
	switch v := v.(type) {
	case string:
		chars := make([]rune, len(v))
		for i := range len(v) {
			chars[i] = rune(v[i])
		}
		return string(chars)
	case []any:
		for i := range v {
			v[i] = byteChars(v[i])
		}
	case map[string]any:
		out := map[string]any{}
		for key, e := range v {
			out[byteChars(key).(string)] = byteChars(e)
		}
		return out
	}
	return v
}

// numbers turns the numbers of decoded JSON into int64 or float64 by the way in which Python wrote them.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = numbers(v[key])
		}
	}
	return v
}
