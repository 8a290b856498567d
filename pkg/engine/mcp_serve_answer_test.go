package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestShortenedDocument: whatever a document holds, what is left of it is JSON, fits, and says that it was cut.
func TestShortenedDocument(t *testing.T) {
	const most = 4 << 10
	numbers := make([]int, 5000)
	keys := map[string]any{"status": "success"}
	for i := range 3000 {
		keys[strings.Repeat("k", i%50)+string(rune('a'+i%26))+strings.Repeat("z", i/50)] = i
	}
	for name, tt := range map[string]struct {
		doc   map[string]any
		holds []string
	}{
		"one long text": {map[string]any{"status": "success", "data": map[string]any{"stdout": "begin" + strings.Repeat("x", 1<<20) + "end"}},
			[]string{`"status":"success"`, `begin`, `end"`, "bytes left out"}},
		"characters":     {map[string]any{"status": "success", "text": strings.Repeat("€", 1<<16)}, []string{`€`}},
		"escapes":        {map[string]any{"status": "error", "text": strings.Repeat("\x01", 1<<16)}, []string{`"status":"error"`}},
		"a long list":    {map[string]any{"status": "success", "results": numbers}, []string{`… 49`, `"status":"success"`}},
		"many small":     {keys, []string{`"status":"success"`, `"start"`}},
		"large integers": {map[string]any{"status": "success", "n": json.Number("9007199254740993"), "text": strings.Repeat("x", 1<<16)}, []string{`9007199254740993`}},
	} {
		data, err := json.Marshal(tt.doc)
		if err != nil {
			t.Fatal(err)
		}
		short, err := shortenedDocument(data, most)
		if err != nil || len(short) > most || !json.Valid(short) || !strings.Contains(string(short), `"cut":"`) {
			t.Errorf("%s: %d bytes, %v: %.200s", name, len(short), err, short)
		}
		for _, part := range tt.holds {
			if !strings.Contains(string(short), part) {
				t.Errorf("%s: no %s in %.300s", name, part, short)
			}
		}
	}
	whole := []byte(`{"status":"success"}`)
	if short, err := shortenedDocument(whole, len(whole)); err != nil || string(short) != string(whole) {
		t.Errorf("what fits was changed: %s, %v", short, err)
	}
}
