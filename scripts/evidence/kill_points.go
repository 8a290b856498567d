//go:build linux

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

var crashPoints = figure{
	name: "R2",
	what: "`kill -9` at every crash point in the source × each way through rye that comes by it, %d times",
	must: "as for R1, at each of them; every point is reached; what was to be pruned is gone after the next prune",
	full: 20, small: 1,
	run: killAtPoints,
}

// visit is one crash point on one way.
type visit struct {
	way   way
	point string
}

func killAtPoints(b *binaries, count int) finding {
	r := newReport()
	points, err := findPoints()
	if err != nil {
		return failed(err)
	}
	visits := b.findVisits(r)
	hits := make([]bool, len(visits)*count)
	share(len(hits), func(n int) {
		v := visits[n%len(visits)]
		hits[n] = slices.Contains(b.take(r, v.way, v.point), v.point)
	})
	reached := map[string]int{}
	for n, hit := range hits {
		if hit {
			reached[visits[n%len(visits)].point]++
		}
	}
	total := 0
	for _, point := range points {
		total += reached[point]
		if reached[point] == 0 {
			r.breakf("the crash point %s was never reached", point)
		}
	}
	return r.finding("%d points, %d pairs of a point and a way, %d kills. Launches: %d answered, %d unanswered, of which %d have no row. "+
		"Threads: %s; lost while %s. %d effects", len(points), len(visits), total, r.counts["answered"], r.counts["unanswered"],
		r.counts["never registered"], r.list("ended "), r.list("lost from "), r.counts["effects"])
}

// findVisits goes each way once without a crash. The slow ones come first, so that the workers end together.
func (b *binaries) findVisits(r *report) []visit {
	found := make([][]visit, len(ways))
	share(len(ways), func(n int) {
		names := b.take(r, ways[n], "")
		slices.Sort(names)
		for _, point := range slices.Compact(names) {
			found[n] = append(found[n], visit{ways[n], point})
		}
	})
	return slices.Concat(found...)
}

// take goes a way in a world of its own, dies at the point, and has fresh processes look at what is left. It returns the
// points that were come by.
func (b *binaries) take(r *report, to way, point string) []string {
	w, err := b.newWorld(b.failing)
	if err != nil {
		r.breakf("%v", err)
		return nil
	}
	list := filepath.Join(w.home, "points")
	l, own := &ledger{world: w}, newReport()
	to.walk(l, own, []string{"RYE_FAIL=" + point, "RYE_FAIL_LIST=" + list})
	l.check(own)
	names, _ := os.ReadFile(list)
	l.leave(own)
	r.add(own, fmt.Sprintf("%s, killed at %q: ", to.name, point))
	return strings.Fields(string(names))
}

// findPoints lists the names in all calls of failpoint.At.
func findPoints() ([]string, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/ryeos/rye").Output()
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	err = filepath.WalkDir(strings.TrimSpace(string(dir)), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		return collectPoints(file, names)
	})
	return slices.Sorted(maps.Keys(names)), err
}

func collectPoints(file *ast.File, names map[string]bool) (err error) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || fmt.Sprint(f.X) != "failpoint" || f.Sel.Name != "At" {
			return true
		}
		name := ""
		if literal, ok := call.Args[0].(*ast.BasicLit); ok {
			name, _ = strconv.Unquote(literal.Value)
		}
		if name == "" || names[name] {
			err = fmt.Errorf("%s: failpoint.At(%q): a point needs a name of its own, written out", file.Name, name)
		}
		names[name] = true
		return true
	})
	return err
}
