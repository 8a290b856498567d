package thread

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// fill adds n threads at their end, of 3 parents and 10 items, directly.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	for p := range 3 {
		register(t, s, New{ID: fmt.Sprintf("parent-%d", p)})
		if err := s.Finish(t.Context(), fmt.Sprintf("parent-%d", p), Outcome{Status: Error}); err != nil {
			t.Fatal(err)
		}
	}
	sqlExec(t, s, `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
		INSERT INTO threads (thread_id, directive, parent_id, status, created_at, updated_at, completed_at)
		SELECT printf('t-%07d', i), 'tool:x/' || (i % 10), 'parent-' || (i % 3), CASE i % 20 WHEN 0 THEN 'error' ELSE 'completed' END, ?2, ?2, ?2 FROM n`,
		n, stamp(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
}

func TestList(t *testing.T) {
	s := open(t, t.TempDir())
	fill(t, s, 40)
	for name, test := range map[string]struct {
		filter Filter
		want   string
	}{
		"newest first":       {Filter{Limit: 2}, "t-0000039 t-0000038"},
		"status":             {Filter{Status: []Status{Error}, Limit: 2}, "t-0000020 t-0000000"},
		"statuses":           {Filter{Status: []Status{Error, Completed, Running}, Limit: 2}, "t-0000039 t-0000038"},
		"statuses and item":  {Filter{Status: []Status{Error, Running}, Item: "tool:x/0"}, "t-0000020 t-0000000"},
		"item":               {Filter{Item: "tool:x/7", Limit: 2}, "t-0000037 t-0000027"},
		"parent":             {Filter{Parent: "parent-1", Limit: 2}, "t-0000037 t-0000034"},
		"parent and item":    {Filter{Parent: "parent-1", Item: "tool:x/7"}, "t-0000037 t-0000007"},
		"parent, item, page": {Filter{Parent: "parent-1", Item: "tool:x/7", Before: 40}, "t-0000007"},
		"nothing":            {Filter{Item: "tool:none"}, ""},
	} {
		got, err := s.List(t.Context(), test.filter)
		if err != nil || ids(got) != test.want {
			t.Errorf("%s: %s, %v; want %s", name, ids(got), err, test.want)
		}
	}
	if _, err := s.List(t.Context(), Filter{Status: []Status{"done"}}); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("an unknown status: %v", err)
	}
}

func TestCount(t *testing.T) {
	s := open(t, t.TempDir())
	fill(t, s, 200)
	for _, filter := range []Filter{{}, {Status: []Status{Error, Completed}}, {Item: "tool:x/7"}, {Status: Active()}, {Parent: "parent-1", Before: 100}} {
		n, err := s.Count(t.Context(), filter)
		filter.Limit = 1000
		list, failure := s.List(t.Context(), filter)
		if err != nil || failure != nil || n != int64(len(list)) {
			t.Errorf("%+v: %d, %v; the list has %d, %v", filter, n, err, len(list), failure)
		}
	}
	if _, err := s.Count(t.Context(), Filter{Status: []Status{"done"}}); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("an unknown status: %v", err)
	}
}

// TestIDs: the newest that start so, and nobody looks whether their runners live.
func TestIDs(t *testing.T) {
	s := open(t, t.TempDir())
	for _, id := range []string{"ab-1", "b-1", "ab-2", "a", "é/ü", "ab-3"} {
		register(t, s, New{ID: id})
	}
	begin(t, s, "ab-2").Release()
	for _, test := range []struct {
		prefix string
		limit  int
		want   string
	}{
		{"", 3, "ab-3 é/ü a"}, {"a", 9, "ab-3 a ab-2 ab-1"}, {"ab-", 2, "ab-3 ab-2"}, {"é", 9, "é/ü"}, {"c", 9, ""}, {"%", 9, ""},
	} {
		got, err := s.IDs(t.Context(), test.prefix, test.limit)
		if err != nil || ids(got) != test.want {
			t.Errorf("%q: %s, %v; want %s", test.prefix, ids(got), err, test.want)
		}
	}
	if seen, err := s.find(t.Context(), "ab-2"); err != nil || seen.Status != Running {
		t.Errorf("looking settled a thread: %s, %v", seen.Status, err)
	}
}

// TestPages: the pages together are the list, whatever is registered in between.
func TestPages(t *testing.T) {
	s := open(t, t.TempDir())
	fill(t, s, 60)
	for _, statuses := range [][]Status{nil, {Completed}, {Completed, Error}} {
		filter := Filter{Status: statuses, Limit: 1000}
		whole, err := s.List(t.Context(), filter)
		if err != nil || len(whole) < 57 {
			t.Fatal(len(whole), err)
		}
		var paged []Thread
		for filter.Limit = 7; ; filter.Before = paged[len(paged)-1].Seq {
			page, err := s.List(t.Context(), filter)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			paged = append(paged, page...)
			register(t, s, New{})
		}
		if ids(paged) != ids(whole) {
			t.Errorf("%v: the pages differ from the list", statuses)
		}
	}
}

// TestListUsesIndexes asks SQLite how it would answer, which does not depend on how many threads there are: by walking an
// index from its newest entry, never by reading or sorting the table.
func TestListUsesIndexes(t *testing.T) {
	s := open(t, t.TempDir())
	fill(t, s, 1000)
	for name, test := range map[string]struct {
		filter Filter
		want   string
	}{
		"all":             {Filter{}, "SCAN threads"}, // the table itself is in the right order
		"page":            {Filter{Before: 500}, "SEARCH threads USING INTEGER PRIMARY KEY (rowid<?)"},
		"status":          {Filter{Status: []Status{Error}}, "SEARCH threads USING INDEX idx_threads_status (status=?)"},
		"statuses":        {Filter{Status: []Status{Error, Completed}}, "SEARCH threads USING COVERING INDEX idx_threads_status (status=?)"},
		"parent":          {Filter{Parent: "parent-1"}, "SEARCH threads USING INDEX idx_threads_parent (parent_id=?)"},
		"item":            {Filter{Item: "tool:x/1"}, "SEARCH threads USING INDEX idx_threads_directive (directive=?)"},
		"item and status": {Filter{Item: "tool:x/1", Status: []Status{Error, Lost}}, "SEARCH threads USING INDEX idx_threads_directive (directive=?)"},
	} {
		query, args := test.filter.query()
		plan := explainPlan(t, s, query, args...)
		if !slices.Contains(plan, test.want) && !slices.ContainsFunc(plan, func(step string) bool { return strings.HasPrefix(step, test.want+" ") }) {
			t.Errorf("%s: %q, want %q", name, plan, test.want)
		}
		for _, step := range plan {
			if strings.Contains(step, "TEMP B-TREE") && len(test.filter.Status) < 2 {
				t.Errorf("%s sorts: %q", name, plan)
			}
		}
	}
	active, args := in([]Status{Created, Running})
	if plan := explainPlan(t, s, `SELECT `+columns+` FROM threads WHERE status IN `+active, args...); !strings.Contains(strings.Join(plan, ";"), "idx_threads_status") {
		t.Errorf("reconciling reads everything: %q", plan)
	}
}

func explainPlan(t *testing.T, s *Store, query string, args ...any) []string {
	t.Helper()
	rows, err := s.db.Query("EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	return plan
}

func TestGetByPrefix(t *testing.T) {
	s := open(t, t.TempDir())
	for _, id := range []string{"ab", "abc", "abd", "x/y-1", "x/y-12", "é"} {
		register(t, s, New{ID: id})
	}
	for prefix, want := range map[string]string{"ab": "ab", "abc": "abc", "abd": "abd", "x/y-1": "x/y-1", "x/y-12": "x/y-12", "é": "é"} {
		if got, err := s.Get(t.Context(), prefix); err != nil || got.ID != want {
			t.Errorf("%s: %s, %v", prefix, got.ID, err)
		}
	}
	for prefix, want := range map[string]item.ErrorType{"a": item.TypeUsage, "x": item.TypeUsage, "": item.TypeNotFound, "z": item.TypeNotFound, "a%": item.TypeNotFound} {
		if got, err := s.Get(t.Context(), prefix); item.TypeOf(err) != want {
			t.Errorf("%q: %s, %v", prefix, got.ID, err)
		}
	}
	if _, err := s.Result(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("result of nothing: %v", err)
	}
}

// FuzzGet: a prefix finds a thread exactly if Go says that one thread, or the one of that name, starts with it.
func FuzzGet(f *testing.F) {
	s, err := Open(f.Context(), f.TempDir(), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	all := []string{"ab", "abc", "a/b-1", "é/ü-2", "\U0010FFFD"}
	for _, id := range all {
		register(f, s, New{ID: id})
	}
	for _, seed := range []string{"a", "ab", "é", "'", "\x00", "\xff", "a\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, prefix string) {
		var want []string
		for _, id := range all {
			if strings.HasPrefix(id, prefix) {
				want = append(want, id)
			}
		}
		unique := prefix != "" && (len(want) == 1 || slices.Contains(want, prefix))
		got, err := s.find(t.Context(), prefix)
		if unique != (err == nil) || unique && !strings.HasPrefix(got.ID, prefix) {
			t.Errorf("%q: %s, %v; want one of %v", prefix, got.ID, err, want)
		}
	})
}
