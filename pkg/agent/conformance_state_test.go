package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-2.4", testDueEffectRuns)
	conform("SA-14.1", testValuesLast)
	conform("SA-14.2", testValuesAreReadEverywhere)
	conform("SA-14.3", testValuesAreTheThreadsOwn)
	conform("SA-14.4", testValuesRoundTrip)
	conform("SA-14.5", testNoJSONIsRefused)
	conform("SA-14.6", testNoValueIsNull)
	conform("SA-14.7", testNullDeletes)
	conform("SA-14.8", testValuesAreDurable)
	conform("SA-14.9", testValuesAreNotInherited)
	conform("SA-14.11", testValuesAreBounded)
	conform("SA-14.12", testBoundIsNamed)
	conform("SA-14.13", testBoundsAreDocumented)
}

// remember sets a value.
func remember(t *testing.T, s *agent.State, key string, value any) {
	t.Helper()
	if err := s.Set(t.Context(), key, value); err != nil {
		t.Fatal(err)
	}
}

// recalls compares a value with JSON, "" for none.
func recalls(t *testing.T, s *agent.State, key, want string) {
	t.Helper()
	got, err := s.Get(t.Context(), key)
	if err != nil || string(got) != want {
		t.Errorf("thread %s has %s = %s, %v, not %s", s.ID(), key, got, err, want)
	}
}

func testDueEffectRuns(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("Good morning.")), nil)
	var calls []agent.Call
	w.Env.Tools = tools{"greet": func(ctx context.Context, c agent.Call) agent.ToolResult {
		calls = append(calls, c)
		if _, err := c.State.Queue(ctx, agent.Outgoing{Content: "It is morning."}); err != nil {
			t.Error(err)
		}
		return agent.ToolResult{}
	}}
	id := w.Thread("helper")
	effect, err := w.State(id).Schedule(t.Context(), "greet", map[string]any{"whom": "Ada", "n": json.Number("12345678901234567890")}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	tick(w, 0)
	w.Clock.Advance(time.Second)
	tick(w, 1)
	tick(w, 0)
	if len(calls) != 1 || string(calls[0].Arguments) != `{"n":12345678901234567890,"whom":"Ada"}` || calls[0].Effect != effect || calls[0].Thread != id {
		t.Fatalf("calls %+v", calls)
	}
	same(t, "who is woken", w.Env.Wakes(), id)
	run(w, id)
	same(t, "the thread", transcript(w.Rows(id)), "user: It is morning.", "assistant: Good morning.")
}

// tick runs what is due.
func tick(w *agenttest.World, want int) {
	w.T.Helper()
	if n, err := w.Tick(w.T.Context()); err != nil || n != want {
		w.T.Errorf("%d effects ran, %v; want %d", n, err, want)
	}
}

func testValuesLast(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("hi")), nil)
	id := w.Thread("helper")
	remember(t, w.State(id), "plan", []string{"dig"})
	w.Say(id, "hello")
	recalls(t, w.NewRuntime("heir").State(id), "plan", `["dig"]`)
}

func testValuesAreReadEverywhere(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Use("count", "{}"), agenttest.Use("count", "{}"), agenttest.Say("two")), tools{
		"count": func(ctx context.Context, c agent.Call) agent.ToolResult {
			var n int
			data, err := c.State.Get(ctx, "n")
			if data != nil {
				err = json.Unmarshal(data, &n)
			}
			if err == nil {
				err = c.State.Set(ctx, "n", n+1)
			}
			if err != nil {
				t.Error(err)
			}
			return agent.ToolResult{Result: fmt.Sprint(n + 1)}
		},
	})
	var seen []string
	w.Env.At = func(p agent.Point, d *agent.PointData) error {
		if p == agent.AfterStep {
			value, err := d.State.Get(t.Context(), "n")
			seen = append(seen, string(value))
			return err
		}
		return nil
	}
	id := w.Thread("helper")
	w.Say(id, "count")
	same(t, "what hooks read", seen, "1", "2", "2")
	recalls(t, w.State(id), "n", "2")
	recalls(t, w.NewRuntime("beside").State(id), "n", "2")
}

func testValuesAreTheThreadsOwn(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	ids := []string{w.Thread("helper"), w.Thread("helper"), w.Thread("helper")}
	for i, id := range ids[:2] {
		remember(t, w.State(id), "k", i)
	}
	recalls(t, w.State(ids[0]), "k", "0")
	recalls(t, w.State(ids[1]), "k", "1")
	recalls(t, w.State(ids[2]), "k", "")
	remember(t, w.State(ids[1]), "k", nil)
	recalls(t, w.State(ids[0]), "k", "0")
}

func testValuesRoundTrip(t *testing.T, storage record.Storage) {
	s := agenttest.New(t, storage, agenttest.Script(), nil)
	state := s.State(s.Thread("helper"))
	for _, want := range []string{
		`{"a":[1,{"b":[]},{}],"c":{"d":null}}`, `"\u0000 \u2028 Zoë 😀 <&>"`, `123456789012345678901234567890`, `0.1000`, `1e400`, `true`, `false`, `""`, `[]`, `{}`, `[null]`,
	} {
		remember(t, state, "key Ω/ ", json.RawMessage(want))
		got, err := state.Get(t.Context(), "key Ω/ ")
		if err != nil || !sameJSON(t, string(got), want) {
			t.Errorf("%s came back as %s, %v", want, got, err)
		}
	}
}

// sameJSON compares two values; their numbers by their digits.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	decode := func(s string) (v any) {
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		return v
	}
	return reflect.DeepEqual(decode(a), decode(b))
}

func testNoJSONIsRefused(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	s := w.State(w.Thread("helper"))
	remember(t, s, "k", 1)
	cycle := map[string]any{}
	cycle["me"] = cycle
	for name, value := range map[string]any{"NaN": math.NaN(), "a function": func() {}, "a cycle": cycle, "half of JSON": json.RawMessage(`{"a":`), "two": json.RawMessage("1 2")} {
		if err := s.Set(t.Context(), "k", value); item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	recalls(t, s, "k", "1")
}

func testNoValueIsNull(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	s := w.State(w.Thread("helper"))
	recalls(t, s, "k", "") // the thread has no values at all
	remember(t, s, "other", 1)
	recalls(t, s, "k", "")
	remember(t, s, "k", 1)
	remember(t, s, "k", nil)
	recalls(t, s, "k", "")
	if _, err := w.State("nobody").Get(t.Context(), "k"); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("a thread that does not exist has values: %v", err)
	}
}

func testNullDeletes(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	s := w.State(w.Thread("helper"))
	var nothing *int
	for _, null := range []any{nil, json.RawMessage("null"), json.RawMessage(nil), nothing} {
		remember(t, s, "k", 1)
		remember(t, s, "k", null)
		recalls(t, s, "k", "")
		remember(t, s, "k", null) // again
	}
	if list, err := s.Values(t.Context(), agent.ValueRange{}); err != nil || len(list) != 0 {
		t.Errorf("values %+v, %v", list, err)
	}
}

func testValuesAreDurable(t *testing.T, storage record.Storage) {
	w := mortalWorld(t, storage, agenttest.Script(), nil)
	id := w.Thread("helper")
	w.probe.after = func(int) { w.probe.die() } // before Set can even say that it is done
	func() {
		defer func() {
			if v := recover(); v != (death{}) {
				t.Errorf("the process did not die: %v", v)
			}
		}()
		remember(t, w.State(id), "k", "v")
	}()
	recalls(t, w.outside().State(id), "k", `"v"`)
}

func testValuesAreNotInherited(t *testing.T, storage record.Storage) {
	w := family(t, storage, blockingWorker, casting{
		"helper": {agenttest.Use("worker", `{"job":"dig"}`), agenttest.Say("ok")}, "worker": {agenttest.Use("progress", `{"how":"well"}`), finish("a hole")}})
	w.Env.Tools["progress"] = func(ctx context.Context, c agent.Call) agent.ToolResult {
		recalls(t, c.State, "k", "")
		remember(t, c.State, "k", "the child's")
		remember(t, c.State, "new", "the child's")
		return agent.ToolResult{}
	}
	id := w.Thread("helper")
	remember(t, w.State(id), "k", "the parent's")
	w.Say(id, "work")
	recalls(t, w.State(id), "k", `"the parent's"`)
	recalls(t, w.State(id), "new", "")
	recalls(t, w.State(onlyChild(w, id).Reference), "k", `"the child's"`)
}

func testValuesAreBounded(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	s := w.State(w.Thread("helper"))
	remember(t, s, strings.Repeat("k", agent.MaxKey), 1)
	remember(t, s, "v", strings.Repeat("v", agent.MaxValue-2)) // with its quotes
	for _, broken := range []struct {
		key   string
		value any
	}{{"", 1}, {strings.Repeat("k", agent.MaxKey+1), 1}, {"v", strings.Repeat("v", agent.MaxValue-1)}} {
		if err := s.Set(t.Context(), broken.key, broken.value); item.TypeOf(err) != item.TypeLimit {
			t.Errorf("a key of %d bytes: %v", len(broken.key), err)
		}
	}
	full := fullOfValues(t, w)
	remember(t, full, "there", "another")
	remember(t, full, "not there", nil) // takes nothing away
	if err := full.Set(t.Context(), "one more", 1); item.TypeOf(err) != item.TypeLimit {
		t.Errorf("one value too many: %v", err)
	}
	remember(t, full, "there", nil)
	remember(t, full, "one more", 1)
	if err := full.Set(t.Context(), "there", 1); item.TypeOf(err) != item.TypeLimit {
		t.Errorf("one value too many, after one was deleted: %v", err)
	}
}

// fullOfValues is a thread that can have no more values, but for its counter: ten thousand take their time.
func fullOfValues(t *testing.T, w *agenttest.World) *agent.State {
	s := w.State(w.Thread("helper"))
	remember(t, s, "there", 0)
	err := w.Storage.Update(t.Context(), func(tx record.Tx) error {
		return tx.Put(record.Key{Thread: s.ID(), Bucket: "counter", Name: "values"}, fmt.Append(nil, agent.MaxValues))
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func testBoundIsNamed(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(), nil)
	s := w.State(w.Thread("helper"))
	for want, err := range map[string]error{
		"512 bytes (MaxKey), not 513":          s.Set(t.Context(), strings.Repeat("k", 513), 1),
		"more than 1048576 (MaxValue)":         s.Set(t.Context(), "k", strings.Repeat("v", 1<<20)),
		"has 10000 values already (MaxValues)": fullOfValues(t, w).Set(t.Context(), "one more", 1),
		"the key context_usage is reserved":    s.Set(t.Context(), agent.ContextUsageKey, 1),
		`the key "\xff" is not valid UTF-8`:    s.Set(t.Context(), "\xff", 1),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func testBoundsAreDocumented(t *testing.T, _ record.Storage) {
	manual, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(manual), "//", "")), " ")
	for _, want := range []string{
		fmt.Sprintf("%d bytes ([MaxKey])", agent.MaxKey), fmt.Sprintf("%d bytes of JSON ([MaxValue])", agent.MaxValue),
		fmt.Sprintf("%d values ([MaxValues])", agent.MaxValues), fmt.Sprintf("%d bytes ([MaxFile])", agent.MaxFile),
		fmt.Sprintf("%d effects ([MaxEffects])", agent.MaxEffects),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("doc.go does not say %q", want)
		}
	}
}
