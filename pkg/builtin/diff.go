package builtin

import (
	"fmt"
	"slices"
	"strings"
)

const (
	diffContext = 3
	// Comparing costs at most maxDiffLines × maxDiffEdits steps; what differs more is shown as replaced as a whole.
	maxDiffLines = 200_000
	maxDiffEdits = 1000
)

// region is lines a[a0:a1] replaced by b[b0:b1]; either may be empty.
type region struct{ a0, a1, b0, b1 int }

// unifiedDiff shows how before becomes after as a patch that `patch -p1` takes, or "" if they are equal. Line ends are
// part of the lines, so a change from \r\n to \n is a change.
func unifiedDiff(name, before, after string) string {
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	regions := changedRegions(a, b)
	if len(regions) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", printable(name), printable(name))
	for len(regions) > 0 {
		n := 1
		for n < len(regions) && regions[n].a0-regions[n-1].a1 <= 2*diffContext {
			n++
		}
		writeHunk(&out, a, b, regions[:n])
		regions = regions[n:]
	}
	return out.String()
}

// writeHunk shows neighbouring regions with the lines around and between them.
func writeHunk(out *strings.Builder, a, b []string, regions []region) {
	first, last := regions[0], regions[len(regions)-1]
	lead := min(diffContext, first.a0)
	tail := min(diffContext, len(a)-last.a1)
	fmt.Fprintf(out, "@@ -%s +%s @@\n",
		hunkRange(first.a0-lead, last.a1+tail), hunkRange(first.b0-lead, last.b1+tail))
	at := first.a0 - lead
	for _, r := range regions {
		writeLines(out, ' ', a[at:r.a0])
		writeLines(out, '-', a[r.a0:r.a1])
		writeLines(out, '+', b[r.b0:r.b1])
		at = r.a1
	}
	writeLines(out, ' ', a[at:at+tail])
}

func writeLines(out *strings.Builder, mark byte, lines []string) {
	for _, l := range lines {
		out.WriteByte(mark)
		out.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// hunkRange writes lines [from, to), counted from 0, in the format's own way: counted from 1, a single line without its
// count, and no lines as the line before them.
func hunkRange(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// changedRegions finds what differs, in order.
func changedRegions(a, b []string) []region {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	if start == endA && start == endB {
		return nil
	}
	whole := region{start, endA, start, endB}
	if endA-start+endB-start > maxDiffLines {
		return []region{whole}
	}
	ids := map[string]int32{}
	deleted, inserted, ok := shortestEdit(intern(ids, a[start:endA]), intern(ids, b[start:endB]))
	if !ok {
		return []region{whole}
	}
	return collectRegions(deleted, inserted, start)
}

// intern replaces lines by numbers, which compare faster.
func intern(ids map[string]int32, lines []string) []int32 {
	out := make([]int32, len(lines))
	for i, l := range lines {
		id, known := ids[l]
		if !known {
			id = int32(len(ids))
			ids[l] = id
		}
		out[i] = id
	}
	return out
}

// collectRegions joins neighbouring marked lines; start is where both lists begin in their files.
func collectRegions(deleted, inserted []bool, start int) []region {
	var regions []region
	for i, j := 0, 0; i < len(deleted) || j < len(inserted); {
		r := region{a0: start + i, b0: start + j}
		for i < len(deleted) && deleted[i] {
			i++
		}
		for j < len(inserted) && inserted[j] {
			j++
		}
		r.a1, r.b1 = start+i, start+j
		if r.a0 != r.a1 || r.b0 != r.b1 {
			regions = append(regions, r)
			continue
		}
		i++
		j++
	}
	return regions
}

// shortestEdit is Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986): it marks the lines
// that go and those that come. ok is false when there are more than maxDiffEdits of them.
func shortestEdit(a, b []int32) (deleted, inserted []bool, ok bool) {
	limit := min(len(a)+len(b), maxDiffEdits)
	zero := limit + 1               // index of diagonal 0; diagonal k is x-y = k
	far := make([]int32, 2*limit+3) // furthest x on each diagonal
	trace := make([][]int32, 0, 64) // far before each round, diagonals -d to d
	down := func(k, d int) bool {   // whether the best way to diagonal k is an insertion
		return k == -d || (k != d && far[zero+k-1] < far[zero+k+1])
	}
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(far[zero-d:zero+d+1]))
		for k := -d; k <= d; k += 2 {
			x := int(far[zero+k+1])
			if !down(k, d) {
				x = int(far[zero+k-1]) + 1
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			far[zero+k] = int32(x)
			if x >= len(a) && x-k >= len(b) {
				deleted, inserted = traceBack(trace, len(a), len(b))
				return deleted, inserted, true
			}
		}
	}
	return nil, nil, false
}

// traceBack walks the rounds of shortestEdit from the end to the start.
func traceBack(trace [][]int32, n, m int) (deleted, inserted []bool) {
	deleted, inserted = make([]bool, n), make([]bool, m)
	x, y := n, m
	for d := len(trace) - 1; d > 0; d-- {
		far := trace[d] // diagonal k is at index k+d
		k := x - y
		if k == -d || (k != d && far[k+d-1] < far[k+d+1]) {
			x = int(far[k+d+1])
			y = x - k - 1
			inserted[y] = true
			continue
		}
		x = int(far[k+d-1])
		y = x - k + 1
		deleted[x] = true
	}
	return deleted, inserted
}
