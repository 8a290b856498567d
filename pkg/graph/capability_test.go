package graph_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ryeos/rye/internal/graphtest"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
)

func TestCapabilitiesCover(t *testing.T) {
	for _, test := range []struct {
		capability, required string
		want                 bool
	}{
		{"rye.execute.tool.rye.bash", "rye.execute.tool.rye.bash", true}, {"rye.execute.tool.rye.bash", "rye.execute.tool.rye.bash2", false},
		{"rye.*", "rye.execute.tool.a.b.c", true}, {"rye.execute.tool.*", "rye.execute.directive.a", false},
		{"rye.execute.tool.rye.bash.*", "rye.execute.tool.rye.bash", true}, {"rye.execute.tool.rye.bash.*", "rye.execute.tool.rye.bashful", false},
		{"rye.execute.*.x", "rye.execute.tool.a.x", true}, {"rye.fetch.?ool.[a-c]", "rye.fetch.tool.b", true}, {"rye.fetch.tool.[!a]", "rye.fetch.tool.a", false},
		{"*", "rye.sign.tool.x", true}, {"", "rye.sign.tool.x", false}, {"rye.[", "rye.[", false}, {`rye.\*`, "rye.*", false}, {"rye.*", "rye.execute.tool.a/b", false},
	} {
		if got := (graph.Capabilities{test.capability}).Cover(test.required); got != test.want {
			t.Errorf("%s covers %s: %v", test.capability, test.required, got)
		}
	}
}

func TestCapabilitiesAttenuate(t *testing.T) {
	list := func(c ...string) graph.Capabilities { return c }
	for _, test := range []struct{ own, limit, want graph.Capabilities }{
		{list("rye.execute.tool.a"), list("rye.execute.*"), list("rye.execute.tool.a")},
		{list("rye.*"), list("rye.execute.tool.a", "rye.fetch.*"), list("rye.execute.tool.a", "rye.fetch.*")},
		{list("rye.execute.tool.a", "rye.sign.*"), list("rye.execute.*"), list("rye.execute.tool.a")},
		{list("rye.*"), list(), nil}, {nil, list("rye.*"), nil},
		// As text, `?` matches `*`. As a limit, it must not.
		{list("t.*"), list("t.?"), list("t.?")}, {list("t.[!a]"), list("t.[[]*"), nil}, {list("t.[ab]x"), list("t.*b*"), nil},
		{list("t.a?"), list("t.a*"), list("t.a?")}, {list("t.*"), list("t.*"), list("t.*")},
	} {
		if got := test.own.Attenuate(test.limit); !slices.Equal(got, test.want) {
			t.Errorf("%q limited by %q is %q, want %q", test.own, test.limit, got, test.want)
		}
	}
}

// FuzzAttenuate: whatever the result covers is covered by both sides.
func FuzzAttenuate(f *testing.F) {
	f.Add("rye.*", "rye.execute.?", "rye.execute.a")
	f.Add("a.[!b]*", "a.*.*", "a.c.d")
	f.Add("a.[ab]", "a.a*", "a.a")
	f.Fuzz(func(t *testing.T, own, limit, required string) {
		both := graph.Capabilities{own}.Attenuate(graph.Capabilities{limit})
		if both.Cover(required) && !(graph.Capabilities{own}.Cover(required) && graph.Capabilities{limit}.Cover(required)) {
			t.Fatalf("%q limited by %q is %q, which covers %q", own, limit, both, required)
		}
	})
}

// TestPermissions: a denial is a result like any error, and nothing is executed.
func TestPermissions(t *testing.T) {
	const config = `  start: a
  nodes:
    a: {action: {primary: %s, item_id: "%s", params: {action: x}}, on_error: no, next: yes}
    yes: {type: return, output: ok}
    no: {type: return, output: "${state._last_error.error}"}`
	all, none, tools := graph.Capabilities{"rye.*"}, graph.Capabilities{}, graph.Capabilities{"rye.execute.tool.x.*"}
	for _, test := range []struct {
		caller      *graph.Capabilities
		primary, id string
		want        string
	}{
		{nil, "execute", "tool:x/y", "ok"}, {&all, "execute", "tool:x/y", "ok"}, {&tools, "execute", "tool:x/y", "ok"},
		{&tools, "execute", "tool:z/y", "Permission denied: 'rye.execute.tool.z.y' not covered by capabilities"},
		{&all, "sign", "tool:x/y", "Permission denied: 'rye.sign.tool.x.y' not covered by capabilities"},
		{&none, "execute", "tool:x/y", "Permission denied: no capabilities. Cannot execute 'tool:x/y'"},
		{&none, "execute", "tool:rye/agent/threads/internal/emitter", "ok"},
		{&none, "fetch", "tool:rye/agent/threads/internal/emitter", "Permission denied: no capabilities. Cannot fetch 'tool:rye/agent/threads/internal/emitter'"},
		{nil, "execute", "${inputs.dir}x", "the item_id \"/tmpx\" is not the id of an item: the id /tmpx starts with a slash"},
		{nil, "execute", "p${inputs.n}", "Canonical ref required for permissioned actions, as in tool:p5"},
	} {
		w := &graphtest.World{}
		opts := options()
		opts.Caller = test.caller
		r := parse(t, fmt.Sprintf(config, test.primary, test.id)).Run(context.Background(), opts, w)
		if test.want == "ok" != (len(w.Actions()) == 1) {
			t.Errorf("%s %s: %d actions", test.primary, test.id, len(w.Actions()))
		}
		if got, _ := r.Output.(string); got != test.want && !samePrefix(got, test.want) {
			t.Errorf("%s %s: %q, want %q", test.primary, test.id, got, test.want)
		}
	}
}

func TestActionCapability(t *testing.T) {
	for _, test := range []struct {
		ref, scope, want string
	}{
		{"knowledge:a/b", "", "rye.fetch.knowledge.a.b"}, {"", "", "rye.fetch"}, {"", "tool.x.*", "rye.fetch.tool"}, {"", "directive", "rye.fetch.directive"},
		{"", "rye.fetch.knowledge.*", "rye.fetch.knowledge"}, {"", "nonsense.x", "rye.fetch"},
	} {
		a := graph.Action{Primary: "fetch", Params: map[string]any{"scope": test.scope}}
		if test.ref != "" {
			ref, err := item.ParseRef(test.ref)
			if err != nil {
				t.Fatal(err)
			}
			a.Ref = ref
		}
		if got := a.Capability(); got != test.want {
			t.Errorf("%+v: %s, want %s", test, got, test.want)
		}
	}
}
