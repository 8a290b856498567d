package hostile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root    = "../.."
	scripts = "cmd/rye/testdata/script"
	threats = 38
)

// row is a line of a table in the threat model.
type row struct {
	number int
	cells  []string
}

func rows(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/threat-model.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []row
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if number, err := strconv.Atoi(strings.TrimSpace(cells[0])); err == nil && strings.HasPrefix(line, "|") {
			found = append(found, row{number, cells})
		}
	}
	return found
}

// TestThreatModelIsComplete: every threat has one row, and a row says by which tests it is covered or what is missing.
func TestThreatModelIsComplete(t *testing.T) {
	var numbers []int
	for _, r := range rows(t) {
		numbers = append(numbers, r.number)
		if len(r.cells) != 5 && len(r.cells) != 3 {
			t.Errorf("row %d has %d cells", r.number, len(r.cells))
		}
		for i, cell := range r.cells {
			if strings.TrimSpace(cell) == "" {
				t.Errorf("row %d: cell %d is empty", r.number, i)
			}
		}
		if len(r.cells) == 5 && len(named(r.cells[3])) == 0 {
			t.Errorf("row %d names no test", r.number)
		}
	}
	slices.Sort(numbers)
	for n := range threats {
		if i, found := slices.BinarySearch(numbers, n+1); !found || i != n {
			t.Fatalf("threat %d is missing or doubled: %v", n+1, numbers)
		}
	}
	if len(numbers) != threats {
		t.Errorf("there are %d rows, want %d", len(numbers), threats)
	}
}

// TestThreatModelNamesTests: every test that a row names exists, and every hostile test is named.
func TestThreatModelNamesTests(t *testing.T) {
	existing := map[string]bool{}
	for _, test := range tests(t) {
		existing[test.name] = true
	}
	known := map[string]bool{}
	for _, r := range rows(t) {
		if len(r.cells) < 5 {
			continue
		}
		for _, name := range named(r.cells[3]) {
			known[name] = true
			if !existing[name] {
				t.Errorf("row %d names %s, which does not exist", r.number, name)
			}
		}
	}
	for _, test := range tests(t) {
		if test.hostile && !known[test.name] && !slices.Contains(otherwise, test.name) {
			t.Errorf("%s is in no row of the threat model", test.name)
		}
	}
}

// otherwise are hostile tests of what is no threat of the list: mistakes and poor surroundings.
var otherwise = []string{"hostile_modes.txtar", "cmd/rye: TestFloodIsCapped"}

// named are the tests that a cell names: `folder: TestName` or `script.txtar`.
func named(cell string) []string {
	var names []string
	for _, m := range regexp.MustCompile("`([a-z/]+: (?:Test|Fuzz)\\w+|\\w+\\.txtar)`").FindAllStringSubmatch(cell, -1) {
		names = append(names, m[1])
	}
	return names
}

// test is a test function or a script of the repository; hostile is whether its file is called so.
type test struct {
	name    string
	hostile bool
}

func tests(t *testing.T) []test {
	t.Helper()
	var found []test
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
	for _, pattern := range []string{"cmd/rye/*_test.go", "pkg/*/*_test.go", "internal/*/*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range function.FindAllSubmatch(text, -1) {
				name := fmt.Sprintf("%s: %s", filepath.ToSlash(folder), m[1])
				found = append(found, test{name, strings.HasPrefix(filepath.Base(file), "hostile_")})
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(root, scripts, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(scripts, err)
	}
	for _, file := range files {
		found = append(found, test{filepath.Base(file), strings.HasPrefix(filepath.Base(file), "hostile_")})
	}
	return found
}
