package builtin

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const header = "# LINE:LID│ content — LIDs are stable references for edit_lines, not file content"

func TestRead(t *testing.T) {
	p := newProject(t, map[string]string{"a.txt": "alpha\nbeta\n\nalpha"})
	lines := []string{"1:08e53a│ alpha", "2:015cad│ beta", "3:d94a69│ ", "4:2020a6│ alpha"}
	tests := []struct {
		name          string
		args          params
		first, last   int
		truncated     bool
		offset, shown float64
	}{
		{"whole", params{}, 0, 4, false, 1, 4},
		{"with the index, from the middle (B18)", params{"offset": 3}, 2, 4, false, 3, 2},
		{"a part", params{"offset": 2, "limit": 2}, 1, 3, true, 2, 2},
		{"the last line", params{"offset": 4, "limit": 1}, 3, 4, false, 4, 1},
		{"after the end", params{"offset": 9}, 4, 4, false, 9, 0},
	}
	for _, indexed := range []bool{false, true} {
		for _, test := range tests {
			if !indexed {
				os.RemoveAll(p.path(".ai"))
			}
			test.args["path"] = "a.txt"
			reply := p.ok("file-system/read", test.args)
			want := strings.Join(append([]string{header}, lines[test.first:test.last]...), "\n")
			equal(t, test.name, reply["output"], any(want))
			equal(t, test.name+": line_count", reply["line_count"], any(test.shown))
			equal(t, test.name+": total_lines", reply["total_lines"], any(4.0))
			equal(t, test.name+": truncated", reply["truncated"], any(test.truncated))
			equal(t, test.name+": offset", reply["offset"], any(test.offset))
			equal(t, test.name+": fields", len(reply), 6)
		}
	}
	if index := p.get(".ai/cache/tools/read/line_index/" + digest([]byte("a.txt"))[:16] + ".json"); !strings.Contains(index, `"file_path":"a.txt"`) ||
		!strings.Contains(index, `{"id":"015cad","line_num":2,"content_hash":"`) || !strings.Contains(index, `"last_modified":"2`) {
		t.Errorf("index: %s", index)
	}
}

func TestReadShapes(t *testing.T) {
	p := newProject(t, map[string]string{
		"empty":  "",
		"crlf":   "one\r\ntwo\r\n",
		"latin1": "caf\xe9\n",
		"marks":  "a<b>&c\n",
	})
	equal(t, "empty", p.ok("file-system/read", params{"path": "empty"})["output"], any(header))
	equal(t, "crlf", p.ok("file-system/read", params{"path": "crlf"})["output"], any(header+"\n1:ba8ac3│ one\n2:981728│ two"))
	if out := p.ok("file-system/read", params{"path": "latin1"})["output"].(string); !strings.HasSuffix(out, "│ caf\ufffd") {
		t.Errorf("latin1: %q", out)
	}
	if out := p.ok("file-system/read", params{"path": "marks"})["output"].(string); !strings.HasSuffix(out, "│ a<b>&c") {
		t.Errorf("marks: %q", out)
	}
}

func TestReadErrors(t *testing.T) {
	p := newProject(t, map[string]string{
		"binary": "a\x00b", "many": strings.Repeat("\n", maxLines+1), "\x1b[31mred": "", "dir/file": "",
	})
	p.put("huge", "")
	if err := os.Truncate(p.path("huge"), maxFile+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"missing":         "File not found: missing",
		"no/such/folder":  "File not found: no/such/folder",
		"dir":             "Path is a directory, not a file",
		".":               "Path is a directory, not a file",
		"binary":          "Cannot read binary: binary file",
		"huge":            "File is too large: huge (52428801 bytes, at most 52428800)",
		"many":            "File has too many lines: many (1000001, at most 1000000)",
		"\x1b[31mmissing": `File not found: \x1b[31mmissing`,
	} {
		if got := p.fails("file-system/read", params{"path": path}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestReadIsCut(t *testing.T) {
	p := newProject(t, map[string]string{
		"many": strings.Repeat(strings.Repeat("é", 90)+"\n", 1000),
		"long": "short\n" + strings.Repeat("é", 60000) + "\nlast\n",
	})
	seen := 0
	for offset, calls := 1, 0; offset <= 1000; calls++ {
		reply := p.ok("file-system/read", params{"path": "many", "offset": offset})
		out := reply["output"].(string)
		count := int(reply["line_count"].(float64))
		if n := utf8.RuneCountInString(out); n > 51200 || calls > 5 || count == 0 {
			t.Fatalf("from %d: %d characters, %d lines", offset, n, count)
		}
		if !strings.HasSuffix(out, "│ "+strings.Repeat("é", 90)) {
			t.Errorf("from %d: the last line is cut", offset)
		}
		equal(t, "truncated", reply["truncated"], any(offset+count <= 1000))
		offset += count
		seen += count
	}
	equal(t, "lines in all parts", seen, 1000)

	first := p.ok("file-system/read", params{"path": "long"})
	equal(t, "lines before the long one", first["line_count"], any(1.0))
	second := p.ok("file-system/read", params{"path": "long", "offset": 2})
	equal(t, "characters with the long one", utf8.RuneCountInString(second["output"].(string)), 51200)
	equal(t, "truncated", second["truncated"], any(true))
}

func TestIDsAreUnique(t *testing.T) {
	p := newProject(t, map[string]string{"blank": strings.Repeat("\n", 12000), "same": strings.Repeat("}\n", 500)})
	for _, name := range []string{"blank", "same"} {
		seen, longer := map[string]bool{}, 0
		for i, id := range p.allIDs(name) {
			if len(id) > 6 {
				longer++
			}
			if seen[id] || len(id) < 6 {
				t.Errorf("%s: line %d has the id %s of another line", name, i+1, id)
			}
			seen[id] = true
		}
		if name == "blank" && longer == 0 {
			t.Error("no two of the lines' digests start alike: the file is too short for this test")
		}
	}
}

// allIDs takes them from the index, for files that are too long to show.
func (p *project) allIDs(name string) []string {
	p.t.Helper()
	p.ok("file-system/read", params{"path": name})
	w, err := openWorkspace(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	defer w.close()
	var ids []string
	for _, l := range w.loadIndex(name).Lines {
		ids = append(ids, l.ID)
	}
	return ids
}

func TestIDsSurviveChanges(t *testing.T) {
	tests := []struct {
		name, before, after string
		from                []int // for each line after, the line before whose id it has, or -1
	}{
		{"insert above", "a\nb\nc\n", "new\na\nb\nc\n", []int{-1, 0, 1, 2}},
		{"delete", "a\nb\nc\n", "a\nc\n", []int{0, 2}},
		{"change one", "a\nb\nc\n", "a\nx\nc\n", []int{0, -1, 2}},
		{"move", "a\nb\nc\nd\n", "c\na\nb\nd\n", []int{2, 0, 1, 3}},
		{"duplicates in order", "x\na\nx\nb\nx\n", "1\nx\nx\n2\nx\n3\n", []int{-1, 0, 2, -1, 4, -1}},
		{"duplicate inserted", "}\n}\n", "new\n}\n}\n}\n", []int{-1, -1, 0, 1}},
		{"line ends only", "a\nb\n", "a\r\nb", []int{0, 1}},
	}
	for _, test := range tests {
		p := newProject(t, map[string]string{"f": test.before})
		before := p.ids("f")
		p.put("f", test.after)
		after := p.ids("f")
		if len(after) != len(test.from) {
			t.Fatalf("%s: %d lines", test.name, len(after))
		}
		for i, from := range test.from {
			if from >= 0 && after[i] != before[from] {
				t.Errorf("%s: line %d has id %s, want that of old line %d (%v)", test.name, i+1, after[i], from+1, before)
			}
			if from < 0 && slices.Contains(before, after[i]) {
				t.Errorf("%s: line %d took over an id", test.name, i+1)
			}
		}
	}
}

func TestDamagedIndexIsRebuilt(t *testing.T) {
	p := newProject(t, map[string]string{"dir/a.txt": "one\ntwo\n"})
	place := ".ai/cache/tools/read/line_index/153ebcff46a44b58.json"
	want := p.ids("dir/a.txt")
	good := p.get(place)
	for _, bad := range []string{
		"", "{", "[]", "null", `{"lines":null}`,
		strings.Replace(good, "dir/a.txt", "dir/b.txt", 1),
		strings.Replace(good, want[0], want[1], 1),
		strings.Replace(good, want[0], "", 1),
		strings.Replace(good, `"line_num":2`, `"line_num":7`, 1),
		strings.Replace(good, `,{"id":"`+want[1], `],"x":[{"id":"`+want[1], 1), // fewer lines than the file
	} {
		p.put(place, bad)
		if got := p.ids("dir/a.txt"); !slices.Equal(got, want) {
			t.Errorf("after %q: %v", bad, got)
		}
		equal(t, "rebuilt index", p.get(place), good)
	}
}
