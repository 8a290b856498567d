package thread

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// TestBudgetTree does random things to a random tree, next to a model that adds up by itself.
func TestBudgetTree(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := open(t, t.TempDir())
	type node struct {
		parent, limit            int // -1: none
		used, reserved, everUsed int64
	}
	type held struct {
		r      Reservation
		node   int
		amount int64
	}
	var tree []node
	var holding []held
	name := func(i int) string {
		if i < 0 {
			return ""
		}
		return fmt.Sprintf("n%d", i)
	}
	for i := range 12 {
		n := node{parent: random.IntN(i+1) - 1, limit: random.IntN(400) - 1}
		limits := Amounts{}
		if n.limit = max(n.limit-100, -1); n.limit >= 0 {
			limits[Spend] = int64(n.limit)
		}
		budget(t, s, name(i), name(n.parent), limits)
		tree = append(tree, n)
	}
	room := func(i int) int64 { // of the path from i
		rest := int64(1 << 40)
		for ; i >= 0; i = tree[i].parent {
			if tree[i].limit >= 0 {
				rest = min(rest, int64(tree[i].limit)-tree[i].used-tree[i].reserved)
			}
		}
		return rest
	}
	for range 300 {
		if len(holding) == 0 || random.IntN(3) > 0 {
			i, amount := random.IntN(len(tree)), random.Int64N(60)
			r, err := s.Reserve(t.Context(), name(i), Amounts{Spend: amount})
			if fits := amount <= room(i); fits != (err == nil) {
				t.Fatalf("reserving %d where %d are left: %v", amount, room(i), err)
			}
			if err == nil {
				holding = append(holding, held{r, i, amount})
				for j := i; j >= 0; j = tree[j].parent {
					tree[j].reserved += amount
				}
			}
			continue
		}
		k := random.IntN(len(holding))
		h := holding[k]
		holding = append(holding[:k], holding[k+1:]...)
		actual := random.Int64N(80) // more than was reserved, now and then
		if _, err := s.Settle(t.Context(), h.r, Amounts{Spend: actual}); err != nil {
			t.Fatal(err)
		}
		for j := h.node; j >= 0; j = tree[j].parent {
			n := &tree[j]
			n.reserved -= h.amount
			n.everUsed += actual
			if n.limit >= 0 {
				actual := min(actual, int64(n.limit)-n.used-n.reserved)
				n.used += actual
			} else {
				n.used += actual
			}
		}
	}
	for i, n := range tree {
		l := line(t, s, name(i), Spend)
		if l.Used != n.used || l.Reserved != n.reserved || l.Used+l.Overspent != n.everUsed {
			t.Errorf("%s: %+v, want %+v", name(i), l, n)
		}
		if l.Cap != nil && l.Used+l.Reserved > *l.Cap {
			t.Errorf("%s is over its limit: %+v", name(i), l)
		}
	}
}

// TestBudgetRace: many at once, and not one unit more than the limit.
func TestBudgetRace(t *testing.T) {
	s := open(t, t.TempDir())
	budget(t, s, "root", "", Amounts{Spend: 100})
	var granted, refused atomic.Int64
	var spenders sync.WaitGroup
	for i := range 8 {
		id := fmt.Sprintf("c%d", i)
		budget(t, s, id, "root", nil)
		spenders.Go(func() {
			for range 5 {
				r, err := s.Reserve(t.Context(), id, Amounts{Spend: 7})
				if err != nil {
					if item.TypeOf(err) != item.TypeLimit {
						t.Error(err)
					}
					refused.Add(1)
					continue
				}
				granted.Add(1)
				if _, err := s.Settle(t.Context(), r, Amounts{Spend: 7}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	spenders.Wait()
	if got := line(t, s, "root", Spend); granted.Load() != 14 || refused.Load() != 26 || got.Used != 98 || got.Reserved != 0 {
		t.Errorf("%d granted, %d refused, %+v", granted.Load(), refused.Load(), got)
	}
}
