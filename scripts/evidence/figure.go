//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// figure is one promise and how it is measured.
type figure struct {
	name        string
	what        string // what is done; %d is the count
	must        string // what counts as kept
	full, small int    // how often: in docs/reliability.md, and in CI
	run         func(b *binaries, count int) finding
}

// finding is what a figure found. Every line of broken is a case in which the promise was not kept.
type finding struct {
	measured string
	broken   []string
}

func (f *finding) breakf(format string, args ...any) {
	f.broken = append(f.broken, fmt.Sprintf(format, args...))
}

// failed is the finding of a measurement that could not be made.
func failed(err error) finding { return finding{broken: []string{err.Error()}} }

// figures are all of them, in the order of the table.
var figures = slices.Concat(killFigures, graphFigures, limitFigures, agentFigures)

// row is a figure that was measured.
type row struct {
	name, what, must, measured string
	broken                     []string
	took                       time.Duration
	on                         time.Time
}

func (f figure) measure(b *binaries, count int) row {
	began := time.Now()
	found := f.run(b, count)
	what := f.what
	if strings.Contains(what, "%d") {
		what = fmt.Sprintf(what, count)
	}
	return row{f.name, what, f.must, found.measured, found.broken, time.Since(began), began}
}

func (r row) verdict() string {
	if len(r.broken) == 0 {
		return "kept"
	}
	return fmt.Sprintf("BROKEN %d times", len(r.broken))
}

func (r row) err() error {
	if len(r.broken) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s", r.name, strings.Join(r.broken[:min(len(r.broken), 20)], "\n    "))
}

func (r row) String() string {
	text := fmt.Sprintf("    %s (%s): %s", r.verdict(), r.took.Round(time.Second), r.measured)
	if err := r.err(); err != nil {
		text += "\n    " + err.Error()
	}
	return text
}

// markdown is the row of the table.
func (r row) markdown() string {
	cell := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ") }
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s, %s |", r.name, cell(r.what), cell(r.must), cell(r.measured), r.verdict(),
		r.on.UTC().Format("2006-01-02"), r.took.Round(time.Second))
}

// merge replaces the rows of the table in a document; a row that was not measured now stays as it was.
func merge(path string, rows []row) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(doc), "\n"), "\n")
	head := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "|---") })
	if head < 0 {
		return errors.New(path + " has no table")
	}
	for _, r := range rows {
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "| "+r.name+" |") })
		if at < 0 {
			at = head + 1
			for at < len(lines) && strings.HasPrefix(lines[at], "|") {
				at++
			}
			lines = slices.Insert(lines, at, "")
		}
		lines[at] = r.markdown()
	}
	var out bytes.Buffer
	for _, l := range lines {
		out.WriteString(l + "\n")
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}
