package builtin

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// applyPatch is a strict reader of unified diffs: context and removed lines must be in before, at the place the hunk says.
func applyPatch(before, patch string) (string, error) {
	old := splitAfter(before)
	var out strings.Builder
	lines := splitAfter(patch)
	if len(lines) < 2 || !strings.HasPrefix(lines[0], "--- a/") || !strings.HasPrefix(lines[1], "+++ b/") {
		return "", fmt.Errorf("no header in %q", patch)
	}
	at, oldLeft, newLeft := 0, 0, 0
	for i := 2; i < len(lines); i++ {
		l := lines[i]
		if l[0] == '@' {
			if oldLeft != 0 || newLeft != 0 {
				return "", fmt.Errorf("hunk before %q is too short", l)
			}
			from := 0
			if from, oldLeft, newLeft = hunkHeader(l); from < at || from > len(old) {
				return "", fmt.Errorf("%q starts at %d, after %d", l, from, at)
			}
			for ; at < from; at++ {
				out.WriteString(old[at])
			}
			continue
		}
		text := l[1:]
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\`) {
			text = strings.TrimSuffix(text, "\n")
			i++
		}
		if l[0] != '+' {
			if at >= len(old) || old[at] != text {
				return "", fmt.Errorf("%q is not line %d", text, at+1)
			}
			at++
			oldLeft--
		}
		if l[0] != '-' {
			out.WriteString(text)
			newLeft--
		}
	}
	if oldLeft != 0 || newLeft != 0 {
		return "", fmt.Errorf("the last hunk is short by %d and %d lines", oldLeft, newLeft)
	}
	return out.String() + strings.Join(old[at:], ""), nil
}

// hunkHeader gives the index of the first old line and both counts.
func hunkHeader(l string) (from, oldCount, newCount int) {
	parts := strings.Fields(l)
	read := func(s string) (start, count int) {
		if n, _ := fmt.Sscanf(s[1:], "%d,%d", &start, &count); n == 1 {
			count = 1
		}
		return start, count
	}
	from, oldCount = read(parts[1])
	_, newCount = read(parts[2])
	if oldCount > 0 {
		from--
	}
	return from, oldCount, newCount
}

func splitAfter(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func TestDiffHunks(t *testing.T) {
	numbers := func(changed ...int) string {
		var out strings.Builder
		for i := 1; i <= 20; i++ {
			mark := ""
			for _, c := range changed {
				if c == i {
					mark = "!"
				}
			}
			fmt.Fprintf(&out, "%d%s\n", i, mark)
		}
		return out.String()
	}
	want := `--- a/f
+++ b/f
@@ -1,10 +1,10 @@
-1
+1!
 2
 3
 4
 5
 6
-7
+7!
 8
 9
 10
@@ -17,4 +17,4 @@
 17
 18
 19
-20
+20!
`
	equal(t, "hunks", unifiedDiff("f", numbers(), numbers(1, 7, 20)), want)
	equal(t, "eight lines apart are two hunks", strings.Count(unifiedDiff("f", numbers(), numbers(1, 9)), "@@ -"), 2)
	equal(t, "line ends", unifiedDiff("f", "a\r\n", "a\n"), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+a\n")
	equal(t, "a name cannot add lines", strings.Count(unifiedDiff("f\n+++ b/g", "a\n", "b\n"), "\n"), 5)
}

func TestDiffRebuildsTheFile(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		before, after := randomFile(r), randomFile(r)
		patch := unifiedDiff("f", before, after)
		if before == after {
			equal(t, "patch of equal files", patch, "")
			continue
		}
		got, err := applyPatch(before, patch)
		if err != nil || got != after {
			t.Fatalf("%q to %q: got %q, %v\n%s", before, after, got, err, patch)
		}
	}
}

func TestDiffIsShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 500 {
		a, b := splitAfter(randomFile(r)+"\n"), splitAfter(randomFile(r)+"\n")
		changed := 0
		for _, region := range changedRegions(a, b) {
			changed += region.a1 - region.a0 + region.b1 - region.b0
		}
		if want := len(a) + len(b) - 2*longestCommon(a, b); changed != want {
			t.Fatalf("%q to %q changes %d lines, want %d", a, b, changed, want)
		}
	}
}

// longestCommon is the textbook table for the length of the longest common subsequence.
func longestCommon(a, b []string) int {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			best[i+1][j+1] = max(best[i][j+1], best[i+1][j])
			if a[i] == b[j] {
				best[i+1][j+1] = best[i][j] + 1
			}
		}
	}
	return best[len(a)][len(b)]
}

func randomFile(r *rand.Rand) string {
	var out strings.Builder
	for range r.IntN(25) {
		out.WriteString([]string{"a\n", "b\n", "c\n", "\n", "a\r\n"}[r.IntN(5)])
	}
	return out.String() + []string{"", "a", "end"}[r.IntN(3)]
}

func TestDiffOfVeryDifferentFiles(t *testing.T) {
	var a, b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	huge := strings.Repeat("x\ny\n", 60_000)
	for _, pair := range [][2]string{
		{"top\n" + a.String() + "end\n", "top\n" + b.String() + "end\n"},
		{"a\n" + huge, huge + "b\n"},
		{huge + "c\n" + a.String(), "b\n" + huge + "d\n"},
	} {
		patch := unifiedDiff("f", pair[0], pair[1])
		if got, err := applyPatch(pair[0], patch); err != nil || got != pair[1] {
			t.Errorf("the patch does not give the new file: %v", err)
		}
	}
}
