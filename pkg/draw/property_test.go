package draw

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/graph"
)

// randomGraph has loops, edges from nodes to themselves, equal edges, nodes that nothing leads to, and some that are
// missing.
func randomGraph(seed uint64) *graph.Graph {
	r := rand.New(rand.NewPCG(seed, 1))
	g := &graph.Graph{ID: "random/graph", Start: "n0"}
	size := 1 + r.IntN(25)
	name := func() string { return fmt.Sprintf("n%d", r.IntN(size+1)) }
	for i := range size {
		n := &graph.Node{Name: fmt.Sprintf("n%d", i), Type: []graph.NodeType{graph.Do, graph.Gate, graph.Foreach, graph.Return}[r.IntN(4)]}
		n.Action = &graph.Call{ItemID: "tool:" + strings.Repeat("x", r.IntN(100))}
		if n.Type != graph.Return {
			for range r.IntN(4) {
				n.Next = append(n.Next, graph.Edge{To: name()})
			}
			if r.IntN(3) == 0 {
				n.OnError = name()
			}
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

// contents lists the nodes and edges of a graph as "n1", "n1 -> n2" and "n1 -error-> n2".
func contents(g *graph.Graph) []string {
	var list []string
	for _, n := range g.Nodes {
		list = append(list, n.Name)
	}
	for _, l := range g.Links() {
		kind := "->"
		if l.Kind == "on_error" {
			kind = "-error->"
		}
		list = append(list, l.From+" "+kind+" "+l.To)
		if !slices.Contains(list, l.To) && !slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool { return n.Name == l.To }) {
			list = append(list, l.To)
		}
	}
	slices.Sort(list)
	return list
}

// readers find in a drawing what contents finds in the graph.
var readers = map[Format]func(drawing string) ([]string, error){
	Text: func(drawing string) (list []string, err error) {
		node, edge := regexp.MustCompile(`^[▶ ] [●◆▣◉✖] (\S+)`), regexp.MustCompile(`^    [├╰](──|┄┄)▶ (\S+)`)
		from := ""
		for line := range strings.Lines(drawing) {
			if m := node.FindStringSubmatch(line); m != nil {
				from = m[1]
				list = append(list, from)
			} else if m := edge.FindStringSubmatch(line); m != nil {
				list = append(list, from+" "+map[string]string{"──": "->", "┄┄": "-error->"}[m[1]]+" "+m[2])
			}
		}
		return list, nil
	},
	Mermaid: func(drawing string) ([]string, error) {
		return readLines(drawing, regexp.MustCompile(`(?m)^    (n\d+)[\[({]+"(?:▶ )?(n\d+)`), regexp.MustCompile(`(?m)^    (n\d+) (-->|-\.->)(?:\|"[^"]*"\|)? (n\d+)$`))
	},
	DOT: func(drawing string) ([]string, error) {
		return readLines(drawing, regexp.MustCompile(`(?m)^    (n\d+) \[label="(?:▶ )?(n\d+)`), regexp.MustCompile(`(?m)^    (n\d+) (->) (n\d+)(?: \[(.*)\])?;$`))
	},
	SVG: func(drawing string) (list []string, err error) {
		picture, err := readSVG(drawing)
		for _, g := range picture.Groups {
			title, _, _ := strings.Cut(g.Title, " – ")
			title, _, _ = strings.Cut(title, ":")
			if kind := "->"; strings.HasPrefix(g.Class, "edge") {
				if strings.Contains(g.Class, "error") {
					kind = "-error->"
				}
				title = strings.ReplaceAll(title, "→", kind)
			}
			list = append(list, title)
		}
		return list, err
	},
}

func readLines(drawing string, nodes, edges *regexp.Regexp) (list []string, err error) {
	names := map[string]string{}
	for _, m := range nodes.FindAllStringSubmatch(drawing, -1) {
		names[m[1]] = m[2]
		list = append(list, m[2])
	}
	for _, m := range edges.FindAllStringSubmatch(drawing, -1) {
		kind := "->"
		if m[2] == "-.->" || strings.Contains(m[len(m)-1], "style=dashed") {
			kind = "-error->"
		}
		list = append(list, names[m[1]]+" "+kind+" "+names[m[3]])
	}
	return list, nil
}

// TestEverythingOnce: each node and each edge is in each drawing, once, and drawing again gives the same.
func TestEverythingOnce(t *testing.T) {
	for seed := range uint64(100) {
		g := randomGraph(seed)
		want := contents(g)
		for _, format := range Formats() {
			drawing := drawn(t, g, format, nil)
			if drawn(t, randomGraph(seed), format, nil) != drawing {
				t.Fatalf("seed %d: %s is drawn in two ways", seed, format)
			}
			got, err := readers[format](drawing)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, format, err)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s has\n%q\nand the graph has\n%q\n%s", seed, format, got, want, drawing)
			}
		}
	}
}

// TestLongChain: a thousand nodes that all lead to the next one and to one for errors are drawn at once.
func TestLongChain(t *testing.T) {
	g := &graph.Graph{ID: "chain", Start: "n0", Nodes: []*graph.Node{{Name: "failed", Type: graph.Return}}}
	for i := range 1000 {
		g.Nodes = append(g.Nodes, &graph.Node{Name: fmt.Sprintf("n%d", i), OnError: "failed", Next: []graph.Edge{{To: fmt.Sprintf("n%d", i+1)}}})
	}
	for _, format := range Formats() {
		started := time.Now()
		drawing := drawn(t, g, format, nil)
		if took := time.Since(started); took > time.Second {
			t.Errorf("%s took %v", format, took)
		}
		if len(drawing) > 1<<20 {
			t.Errorf("%s has %d bytes", format, len(drawing))
		}
	}
}

// TestTangled: where every node leads to many others, drawing gives up in time.
func TestTangled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	g := &graph.Graph{ID: "tangle", Start: "0"}
	for i := range 2000 {
		n := &graph.Node{Name: strconv.Itoa(i), Next: []graph.Edge{{To: strconv.Itoa(i + 1)}}}
		for range 5 {
			n.Next = append(n.Next, graph.Edge{To: strconv.Itoa(r.IntN(2000))})
		}
		g.Nodes = append(g.Nodes, n)
	}
	if err := Draw(io.Discard, g, SVG, nil); !errors.Is(err, errTangled) {
		t.Errorf("the error is %v", err)
	}
	if err := Draw(io.Discard, g, DOT, nil); err != nil {
		t.Error(err)
	}
}

func TestDrawRefuses(t *testing.T) {
	g := randomGraph(1)
	if err := Draw(io.Discard, g, "png", nil); err == nil {
		t.Error("an unknown format is drawn")
	}
	reader, writer := io.Pipe()
	reader.Close()
	if err := Draw(writer, g, Text, nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the error of the writer becomes %v", err)
	}
}

// TestDrawDegenerate: what is no graph yet is drawn as well.
func TestDrawDegenerate(t *testing.T) {
	for name, g := range map[string]*graph.Graph{
		"empty":            {},
		"no start":         {Nodes: []*graph.Node{{Name: "a", Next: []graph.Edge{{To: "b"}}}, {Name: "b"}}},
		"start is missing": {Start: "x", Nodes: []*graph.Node{{Name: "a"}}},
		"edge to nowhere":  {Start: "a", Nodes: []*graph.Node{{Name: "a", Next: []graph.Edge{{}}}}},
	} {
		for _, format := range Formats() {
			drawing := drawn(t, g, format, &Run{Status: "running", Current: "gone", Visits: []Visit{{Node: "gone"}}})
			if strings.Contains(drawing, "no way leads") || strings.Contains(drawing, `class="node unreachable`) {
				t.Errorf("%s: without a start, nothing is unreachable:\n%s", name, drawing)
			}
		}
	}
}
