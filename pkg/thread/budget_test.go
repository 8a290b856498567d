package thread

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func budget(t testing.TB, s *Store, id, parent string, limits Amounts) {
	t.Helper()
	register(t, s, New{ID: id, Parent: parent})
	if err := s.CreateBudget(t.Context(), id, parent, limits); err != nil {
		t.Fatal(err)
	}
}

func line(t testing.TB, s *Store, id string, unit Unit) Line {
	t.Helper()
	lines, err := s.Budget(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return lines[unit]
}

func TestBudget(t *testing.T) {
	s := open(t, t.TempDir())
	budget(t, s, "root", "", Amounts{Spend: 100, Turns: 10})
	budget(t, s, "a", "root", nil)
	budget(t, s, "b", "root", Amounts{Spend: 1000}) // more than its parent has: the parent's limit holds
	ra, err := s.Reserve(t.Context(), "a", Amounts{Spend: 60, Turns: 1})
	if err != nil {
		t.Fatal(err)
	}
	// A sibling shares the rest; what does not fit is refused as a whole, in every unit and at every level.
	_, err = s.Reserve(t.Context(), "b", Amounts{Turns: 1, Spend: 41})
	if item.TypeOf(err) != item.TypeLimit || !strings.Contains(err.Error(), "root has 40 spend left, 41") {
		t.Errorf("over the parent's limit: %v", err)
	}
	if got := line(t, s, "root", Turns); got.Reserved != 1 {
		t.Errorf("a refused reservation left %d turns", got.Reserved)
	}
	rb, err := s.Reserve(t.Context(), "b", Amounts{Spend: 40})
	if err != nil {
		t.Fatal(err)
	}
	if over, err := s.Settle(t.Context(), ra, Amounts{Spend: 50, Turns: 1, Tokens: 7}); err != nil || len(over) > 0 {
		t.Errorf("settle: %v, %v", over, err)
	}
	if got := line(t, s, "root", Spend); got.Used != 50 || got.Reserved != 40 {
		t.Errorf("root: %+v", got)
	}
	if got := line(t, s, "root", Tokens); got.Used != 7 || got.Cap != nil {
		t.Errorf("what has no limit is counted too: %+v", got)
	}
	if err := s.Release(t.Context(), rb); err != nil {
		t.Fatal(err)
	}
	if rest, err := s.Remaining(t.Context(), "b"); err != nil || rest[Spend] != 50 || rest[Turns] != 9 || len(rest) != 2 {
		t.Errorf("remaining: %v, %v", rest, err)
	}
	for name, err := range map[string]error{
		"released twice": s.Release(t.Context(), rb),
		"settled twice":  func() error { _, err := s.Settle(t.Context(), ra, Amounts{Spend: 1}); return err }(),
	} {
		if !errors.Is(err, ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOverspend: what was spent cannot be refused. It is recorded, and nothing that others were promised is touched.
func TestOverspend(t *testing.T) {
	s := open(t, t.TempDir())
	budget(t, s, "root", "", Amounts{Spend: 100})
	budget(t, s, "a", "root", Amounts{Spend: 30})
	budget(t, s, "b", "root", nil)
	if _, err := s.Reserve(t.Context(), "b", Amounts{Spend: 60}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Reserve(t.Context(), "a", Amounts{Spend: 10})
	if err != nil {
		t.Fatal(err)
	}
	over, err := s.Settle(t.Context(), r, Amounts{Spend: 55})
	if err != nil || over[Spend] != 25 {
		t.Errorf("over %v, %v", over, err)
	}
	for id, want := range map[string]string{"root": "used 40 reserved 60 over 15", "a": "used 30 reserved 0 over 25"} {
		l := line(t, s, id, Spend)
		if got := fmt.Sprintf("used %d reserved %d over %d", l.Used, l.Reserved, l.Overspent); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	if _, err := s.Reserve(t.Context(), "a", Amounts{Spend: 1}); item.TypeOf(err) != item.TypeLimit {
		t.Errorf("more is given leave for: %v", err)
	}
}

func TestBudgetRefuses(t *testing.T) {
	s := open(t, t.TempDir())
	budget(t, s, "root", "", Amounts{Spend: 0})
	register(t, s, New{ID: "poor"})
	for name, amounts := range map[string]Amounts{"negative": {Spend: -1}, "unknown": {"dollars": 1}, "huge": {Tokens: maxAmount + 1}} {
		if _, err := s.Reserve(t.Context(), "root", amounts); item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Reserve(t.Context(), "root", Amounts{Spend: 1}); item.TypeOf(err) != item.TypeLimit {
		t.Errorf("a limit of zero is a limit: %v", err)
	}
	if _, err := s.Reserve(t.Context(), "poor", Amounts{Turns: 1}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no budget must not mean no limit: %v", err)
	}
	if err := s.CreateBudget(t.Context(), "poor", "none", nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown parent: %v", err)
	}
	if err := s.CreateBudget(t.Context(), "root", "", Amounts{Spend: 500}); err != nil {
		t.Errorf("repeating a start: %v", err)
	}
	if got := line(t, s, "root", Spend); *got.Cap != 0 {
		t.Errorf("a repeated start changed the limit to %d", *got.Cap)
	}
	if err := s.Finish(t.Context(), "root", Outcome{Status: Cancelled}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reserve(t.Context(), "root", Amounts{Turns: 1}); !errors.Is(err, ErrTransition) {
		t.Errorf("a thread at its end reserves: %v", err)
	}
}

// TestLostThreadsReserveNothing: a dead runner cannot release.
func TestLostThreadsReserveNothing(t *testing.T) {
	s := open(t, t.TempDir())
	budget(t, s, "root", "", Amounts{Spend: 100})
	budget(t, s, "child", "root", nil)
	lock := begin(t, s, "child")
	for range 2 {
		if _, err := s.Reserve(t.Context(), "child", Amounts{Spend: 40, Turns: 1}); err != nil {
			t.Fatal(err)
		}
	}
	lock.Release()
	if got := get(t, s, "child"); got.Status != Lost {
		t.Fatal(got.Status)
	}
	for _, unit := range []Unit{Spend, Turns} {
		if got := line(t, s, "root", unit); got.Reserved != 0 {
			t.Errorf("%d %s are reserved for a dead thread", got.Reserved, unit)
		}
	}
}
