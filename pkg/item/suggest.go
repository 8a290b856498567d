package item

import "strings"

// Suggest finds the candidate that someone who typed name most likely meant, or "". It allows about one edit for
// every three characters, so that unrelated words are not offered: a single letter is only offered its other case.
func Suggest(name string, candidates []string) string {
	best, bestDistance := "", len(name)/3+1
	for _, c := range candidates {
		if strings.EqualFold(name, c) {
			return c
		}
		if len(name) == 1 {
			continue
		}
		if d := editDistance(name, c, bestDistance); d < bestDistance || d == bestDistance && best == "" {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance is the number of insertions, deletions, substitutions and swaps of neighbours that turn a into b; it
// returns limit+1 as soon as it is known to be larger.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
