package builtin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestEditLines(t *testing.T) {
	type edit struct {
		first, last int // lines, from 1
		content     string
	}
	tests := []struct {
		name, before string
		edits        []edit
		after        string
		changed      float64
	}{
		{"one line", "a\nb\nc\n", []edit{{2, 2, "B"}}, "a\nB\nc\n", 1},
		{"final newline is no line", "a\nb\nc\n", []edit{{2, 2, "B\n"}}, "a\nB\nc\n", 1},
		{"empty line", "a\nb\nc\n", []edit{{2, 2, "\n"}}, "a\n\nc\n", 1},
		{"more lines", "a\nb\nc\n", []edit{{2, 2, "1\n2\n3"}}, "a\n1\n2\n3\nc\n", 3},
		{"range", "a\nb\nc\n", []edit{{1, 3, "x"}}, "x\n", 3},
		{"delete", "a\nb\nc\n", []edit{{2, 3, ""}}, "a\n", 2},
		{"delete all", "a\nb\n", []edit{{1, 2, ""}}, "", 2},
		{"two, in any order", "a\nb\nc\n", []edit{{3, 3, "C\nD"}, {1, 1, ""}}, "b\nC\nD\n", 3},
		{"neighbours", "a\nb\nc\n", []edit{{1, 1, "1"}, {2, 2, "2"}}, "1\n2\nc\n", 2},
		{"crlf", "a\r\nb\r\n", []edit{{1, 1, "x\ny\r\nz"}}, "x\r\ny\r\nz\r\nb\r\n", 3},
		{"mixed ends", "a\r\nb\nc\r\n", []edit{{2, 2, "x\ny"}, {3, 3, "z"}}, "a\r\nx\ny\nz\r\n", 3},
		{"no final newline", "a\nb", []edit{{2, 2, "x\ny"}}, "a\nx\ny", 2},
		{"no final newline, crlf", "a\r\nb", []edit{{2, 2, "x\ny"}}, "a\r\nx\r\ny", 2},
		{"no final newline, last deleted", "a\nb\nc", []edit{{3, 3, ""}}, "a\nb", 1},
		{"no final newline, one line", "a", []edit{{1, 1, "x\ny\n"}}, "x\ny", 2},
		{"an empty last line needs one", "a\nb", []edit{{2, 2, "\n"}}, "a\n\n", 1},
		{"bytes that are not UTF-8", "\xff\nb\n", []edit{{2, 2, "é"}}, "\xff\né\n", 1},
	}
	for _, test := range tests {
		p := newProject(t, map[string]string{"f.txt": test.before})
		ids := p.ids("f.txt")
		var changes []params
		for _, e := range test.edits {
			c := params{"start_line_id": ids[e.first-1], "end_line_id": ids[e.last-1], "new_content": e.content}
			if e.first == e.last {
				c = params{"line_id": ids[e.first-1], "new_content": e.content}
			}
			changes = append(changes, c)
		}
		reply := p.ok("file-system/edit_lines", params{"path": "f.txt", "changes": changes})
		equal(t, test.name, p.get("f.txt"), test.after)
		equal(t, test.name+": changes_applied", reply["changes_applied"], any(float64(len(changes))))
		equal(t, test.name+": lines_changed", reply["lines_changed"], any(test.changed))
		if out := reply["output"].(string); !strings.HasPrefix(out, "--- a/f.txt\n+++ b/f.txt\n@@ ") {
			t.Errorf("%s: output %q", test.name, out)
		}
	}
}

func TestEditLinesErrors(t *testing.T) {
	p := newProject(t, map[string]string{"f": "a\nb\nc\n", "unread": "a\n", "stale": "a\n", "dir/x": "", "binary": "\x00"})
	ids := p.ids("f")
	stale := p.ids("stale")[0]
	p.put("stale", "b\n")
	one := func(id string) []params { return []params{{"line_id": id, "new_content": "x"}} }
	span := func(a, b string) params { return params{"start_line_id": a, "end_line_id": b, "new_content": "x"} }
	known := fmt.Sprintf("['%s', '%s', '%s']...", ids[0], ids[1], ids[2])
	tests := []struct {
		path    string
		changes []params
		want    string
	}{
		{"missing", one(ids[0]), "File not found: missing"},
		{"dir", one(ids[0]), "Path is a directory, not a file"},
		{"binary", one(ids[0]), "Cannot read binary: binary file"},
		{"unread", one(ids[0]), "No line ID cache found. Read the file first to generate line IDs."},
		{"stale", one(stale), "File has changed since last read. Re-read the file to get updated line IDs."},
		{"f", one("zzz"), "Invalid line IDs: ['zzz']. Available IDs include: " + known},
		{"f", []params{span("zzz", ids[0]), span(ids[1], "y\x1b")}, `Invalid line IDs: ['zzz', 'y\x1b']. Available IDs include: ` + known},
		{"f", []params{span(ids[2], ids[1])}, "changes[0]: start_line_id is line 3, after end_line_id, line 2"},
		{"f", []params{span(ids[1], ids[2]), span(ids[0], ids[1])}, "Overlapping changes: changes[1] (lines 1-2) and changes[0] (lines 2-3)"},
		{"f", append(one(ids[0]), one(ids[0])...), "Overlapping changes: changes[0] (lines 1-1) and changes[1] (lines 1-1)"},
	}
	for _, test := range tests {
		equal(t, test.path, p.fails("file-system/edit_lines", params{"path": test.path, "changes": test.changes}), test.want)
	}
	equal(t, "f", p.get("f"), "a\nb\nc\n")
	same := p.ok("file-system/edit_lines", params{"path": "f", "changes": []params{{"line_id": ids[0], "new_content": "a"}}})
	equal(t, "same content", same["output"], any("No changes: f has this content already"))
}

// modelLine is a line as the model of TestEditsFollowTheModel knows it; id is "" until a read shows it.
type modelLine struct{ text, id string }

func TestEditsFollowTheModel(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { followModel(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func followModel(t *testing.T, r *rand.Rand) {
	end := []string{"\n", "\r\n"}[r.IntN(2)]
	closed := r.IntN(2) == 0 // the file has a final newline
	p := newProject(t, nil)
	var model []modelLine
	for range 1 + r.IntN(30) {
		model = append(model, modelLine{text: randomText(r)})
	}
	render := func() string {
		var texts []string
		for _, l := range model {
			texts = append(texts, l.text)
		}
		closed = closed || model[len(model)-1].text == ""
		if closed {
			texts = append(texts, "")
		}
		return strings.Join(texts, end)
	}
	p.put("f", render())
	for step := 0; step < 10 && len(model) > 0; step++ {
		if step == 0 || r.IntN(3) == 0 {
			learnIDs(t, model, p.ids("f"))
		}
		changes := randomChanges(r, &model)
		if len(changes) == 0 {
			continue
		}
		p.ok("file-system/edit_lines", params{"path": "f", "changes": changes})
		if len(model) == 0 {
			equal(t, "file without lines", p.get("f"), "")
			return
		}
		if got, want := p.get("f"), render(); got != want {
			t.Fatalf("step %d, %v:\n got %q\nwant %q", step, changes, got, want)
		}
	}
	learnIDs(t, model, p.ids("f"))
}

// randomChanges picks ranges whose ends have known ids, and applies them to the model from the bottom up.
func randomChanges(r *rand.Rand, model *[]modelLine) []params {
	var changes []params
	for last := len(*model) - 1; last >= 0; last -= 1 + r.IntN(6) {
		first := max(0, last-r.IntN(3))
		if a, b := (*model)[first].id, (*model)[last].id; a != "" && b != "" {
			var texts []modelLine
			content := ""
			for range r.IntN(4) {
				l := modelLine{text: randomText(r)}
				texts = append(texts, l)
				content += l.text + "\n"
			}
			changes = append(changes, params{"start_line_id": a, "end_line_id": b, "new_content": content})
			*model = slices.Replace(*model, first, last+1, texts...)
		}
		last = first
	}
	r.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	return changes
}

// learnIDs checks the ids that should have survived and takes over the new ones.
func learnIDs(t *testing.T, model []modelLine, ids []string) {
	t.Helper()
	if len(ids) != len(model) {
		t.Fatalf("%d lines, want %d", len(ids), len(model))
	}
	for i := range model {
		if model[i].id != "" && model[i].id != ids[i] {
			t.Fatalf("line %d changed its id from %s to %s", i+1, model[i].id, ids[i])
		}
		model[i].id = ids[i]
	}
}

// randomText repeats itself often, as code does.
func randomText(r *rand.Rand) string {
	return []string{"", "}", "return nil", "a", "é│ x", "\tif"}[r.IntN(6)]
}
