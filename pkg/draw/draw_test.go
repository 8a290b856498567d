package draw

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/graph"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// runs are laid over the graphs of testdata.
var runs = map[string]*Run{
	"report": {Status: "completed", Visits: []Visit{
		{Step: 1, Node: "list", Status: "ok", Duration: 420 * time.Millisecond, Attempts: 1},
		{Step: 2, Node: "route", Status: "ok", Duration: 120 * time.Microsecond},
		{Step: 3, Node: "list", Status: "ok", Duration: 1300 * time.Millisecond, Attempts: 3},
		{Step: 4, Node: "route", Status: "ok", Duration: 80 * time.Microsecond},
		{Step: 5, Node: "each", Status: "ok", Duration: 64 * time.Second, Attempts: 1, Items: 12},
		{Step: 6, Node: "publish", Status: "error", Duration: 2 * time.Second, Attempts: 1, Error: "the website does not answer\nafter 2s"},
		{Step: 7, Node: "failed", Status: "ok"},
	}},
	"review": {Status: "running", Current: "review", Visits: []Visit{
		{Step: 1, Node: "draft", Status: "ok", Duration: 31 * time.Second, Attempts: 1},
		{Step: 2, Node: "review", Status: "ok", Duration: 12 * time.Second, Attempts: 1},
		{Step: 3, Node: "draft", Status: "unknown", Duration: 29 * time.Second, Attempts: 1},
	}},
	"hostile": {Status: "\x1b[2Jdone", Visits: []Visit{
		{Step: 1, Node: "end", Status: "error", Error: "</text>\x1b[1m\"|"},
	}},
}

func parse(t testing.TB, file string) *graph.Graph {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func drawn(t testing.TB, g *graph.Graph, format Format, over *Run) string {
	t.Helper()
	var out bytes.Buffer
	if err := Draw(&out, g, format, over); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestGoldens: each graph of testdata in each format, alone and with a run.
func TestGoldens(t *testing.T) {
	extensions := map[Format]string{Text: ".txt", Mermaid: ".mmd", DOT: ".dot", SVG: ".svg"}
	for name, run := range runs {
		g := parse(t, name+".yaml")
		for _, format := range Formats() {
			compare(t, name+extensions[format], drawn(t, g, format, nil))
			compare(t, name+"-run"+extensions[format], drawn(t, g, format, run))
		}
	}
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	golden = filepath.Join("testdata", golden)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is now (-update rewrites it):\n%s", golden, got)
	}
}
