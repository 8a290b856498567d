package draw

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/graph"
)

// TestTaken: the edges that a run took, by the order of its visits.
func TestTaken(t *testing.T) {
	g := &graph.Graph{Start: "a", Nodes: []*graph.Node{
		{Name: "a", Next: []graph.Edge{{To: "b"}}, OnError: "c"},
		{Name: "b", Next: []graph.Edge{{To: "a"}, {To: "b"}, {To: "c"}}, OnError: "c"},
		{Name: "c"},
	}}
	for name, test := range map[string]struct {
		run  Run
		want string
	}{
		"nothing yet": {Run{Current: "a"}, ""},
		"under way":   {Run{Current: "b", Visits: []Visit{{1, "a", "ok", 0, 1, 0, ""}}}, "a→b"},
		"at the second": {
			Run{Current: "b", Visits: []Visit{{1, "a", "ok", 0, 1, 0, ""}, {2, "b", "running", 0, 1, 0, ""}}}, "a→b",
		},
		"a loop": {
			Run{Visits: []Visit{{1, "a", "ok", 0, 1, 0, ""}, {2, "b", "ok", 0, 1, 0, ""}, {3, "b", "ok", 0, 1, 0, ""}}}, "a→b b→b",
		},
		"an error that was caught": {
			Run{Visits: []Visit{{1, "a", "error", 0, 1, 0, "x"}, {2, "c", "ok", 0, 1, 0, ""}}}, "a⇢c",
		},
		"no error":               {Run{Visits: []Visit{{1, "b", "ok", 0, 1, 0, ""}, {2, "c", "ok", 0, 1, 0, ""}}}, "b→c"},
		"an error let through":   {Run{Visits: []Visit{{1, "b", "error", 0, 1, 0, "x"}, {2, "c", "ok", 0, 1, 0, ""}}}, "b→c b⇢c"},
		"steps that are missing": {Run{Visits: []Visit{{1, "a", "ok", 0, 1, 0, ""}, {5, "b", "ok", 0, 1, 0, ""}}}, ""},
		"nodes that are gone":    {Run{Current: "z", Visits: []Visit{{1, "x", "ok", 0, 1, 0, ""}, {2, "a", "ok", 0, 1, 0, ""}}}, ""},
	} {
		var got []string
		for _, a := range newPicture(g, &test.run).arrows {
			if sign := "→"; a.taken {
				if a.onError {
					sign = "⇢"
				}
				got = append(got, a.from.name+sign+a.to.name)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v, not %s", name, got, test.want)
		}
	}
}

func TestSummary(t *testing.T) {
	for _, test := range []struct {
		box  box
		want string
	}{
		{box{}, ""},
		{box{current: true}, "…"},
		{box{visits: []Visit{{Status: "ok", Attempts: 1}}}, "✓"},
		{box{visits: []Visit{{Status: "ok", Duration: 1234 * time.Microsecond, Attempts: 2}}}, "✓ 1ms (2 attempts)"},
		{box{visits: []Visit{{Status: "error", Duration: 90*time.Minute + 400*time.Millisecond}}}, "✗ 1h30m0s"},
		{box{visits: []Visit{{Status: "unknown", Duration: 1260 * time.Millisecond, Items: 1}}}, "? 1.3s (1 item)"},
		{box{visits: []Visit{{Status: "error", Attempts: 3}, {Status: "ok", Attempts: 1}}}, "✓ (2 visits, 4 attempts)"},
		{box{visits: []Visit{{Status: "error"}, {Status: "running"}}, current: true}, "… (2 visits)"},
	} {
		if got := test.box.summary(); got != test.want {
			t.Errorf("%+v: %q, not %q", test.box.visits, got, test.want)
		}
	}
}
