package graph_test

import (
	"testing"

	"github.com/ryeos/rye/internal/graphtest"
)

// TestCrashes is the small version of figure R21, which checks a thousand graphs (make evidence ONLY=R21).
func TestCrashes(t *testing.T) {
	total, seeds := graphtest.Report{}, uint64(40)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		report, err := graphtest.CheckCrashes(seed)
		if err != nil {
			t.Error(err)
		}
		total.Kills += report.Kills
		total.Unknown += report.Unknown
	}
	if total.Kills < 8*int(seeds) || total.Unknown < int(seeds) {
		t.Errorf("too little happened for the test to mean something: %+v", total)
	}
}
