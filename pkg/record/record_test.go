package record_test

import (
	"math"
	"testing"

	"github.com/ryeos/rye/internal/recordtest"
	"github.com/ryeos/rye/pkg/record"
)

func TestMemory(t *testing.T) {
	recordtest.Run(t, func(*testing.T) record.Storage { return record.NewMemory() })
	t.Run("beside", func(t *testing.T) { recordtest.Beside(t, record.NewMemory()) })
}

// TestName: names are in the order of their numbers, and no two are the same.
func TestName(t *testing.T) {
	before := ""
	for _, n := range []int64{0, 1, 9, 10, 35, 36, 37, 1295, 1296, 46655, 46656, math.MaxInt32, 36 * 36 * 36 * 36 * 36 * 36 * 36, 2821109907455} {
		name := record.Name(n)
		if name <= before || len(name) != 8 {
			t.Errorf("%d is %q, after %q", n, name, before)
		}
		before = name
	}
}
