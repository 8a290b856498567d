package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// effective is a world with a thread and an effect "ring" that notes its arguments.
func effective(t *testing.T, storage record.Storage) (w *agenttest.World, id string, rung *[]string) {
	rung = &[]string{}
	var mu sync.Mutex
	w = agenttest.New(t, storage, agenttest.Script(), tools{"ring": func(_ context.Context, c agent.Call) agent.ToolResult {
		mu.Lock()
		defer mu.Unlock()
		*rung = append(*rung, string(c.Arguments))
		return agent.ToolResult{}
	}})
	return w, w.Thread("helper"), rung
}

func schedule(w *agenttest.World, thread, name string, args any, delay time.Duration) string {
	w.T.Helper()
	id, err := w.ScheduleEffect(w.T.Context(), thread, name, args, delay)
	if err != nil {
		w.T.Fatal(err)
	}
	return id
}

// states are the effects of a thread: name, state, error.
func states(w *agenttest.World, thread string) []string {
	w.T.Helper()
	list, err := w.Effects(w.T.Context(), thread, "")
	if err != nil {
		w.T.Fatal(err)
	}
	var lines []string
	for _, e := range list {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Name, e.Status, e.Error)))
	}
	return lines
}

// TestEffectsRunByTime: of all threads, the first that is due first, and of one time the first that was asked for.
func TestEffectsRunByTime(t *testing.T) {
	w, id, rung := effective(t, record.NewMemory())
	other := w.Thread("helper")
	schedule(w, id, "ring", 3, 3*time.Second)
	schedule(w, other, "ring", 1, time.Second)
	for n := range 12 {
		schedule(w, id, "ring", 200+n, 2*time.Second)
	}
	schedule(w, id, "ring", nil, -time.Hour) // at once
	schedule(w, id, "ring", "later", time.Hour)
	w.Clock.Advance(5 * time.Second)
	tick(w, 15)
	same(t, "the effects", *rung, "{}", "1", "200", "201", "202", "203", "204", "205", "206", "207", "208", "209", "210", "211", "3")
	w.Clock.Advance(time.Hour)
	tick(w, 1)
}

// TestEffectsRunOnce: runtimes that tick at a time share the work.
func TestEffectsRunOnce(t *testing.T) {
	for _, kind := range storages {
		t.Run(kind.name, func(t *testing.T) {
			w, id, rung := effective(t, kind.open(t))
			var want []string
			for n := range 30 {
				schedule(w, id, "ring", 100+n, time.Duration(n)*time.Millisecond)
				want = append(want, fmt.Sprint(100+n))
			}
			w.Clock.Advance(time.Minute)
			var wait sync.WaitGroup
			for n := range 4 {
				wait.Go(func() {
					if _, err := w.NewRuntime(fmt.Sprint("owner-", n)).Tick(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			slices.Sort(*rung)
			same(t, "the effects", *rung, want...)
		})
	}
}

// TestEffectOfDeadOwner: it is run again, but not for ever.
func TestEffectOfDeadOwner(t *testing.T) {
	w, id, _ := effective(t, record.NewMemory())
	alive := "nobody"
	w.Env.OwnerAlive = func(owner string) bool { return owner == alive }
	runs := 0
	w.Env.Tools["ring"] = func(context.Context, agent.Call) agent.ToolResult {
		runs++
		panic(death{})
	}
	schedule(w, id, "ring", 1, 0)
	for n := range 3 {
		dying := mortal{w, &probe{Storage: w.Storage}}
		dying.Storage = dying.probe
		doomed := dying.NewRuntime(fmt.Sprint("doomed-", n))
		dying.Storage = dying.probe.Storage
		dying.probe.after = func(int) { // it has claimed the effect
			dying.probe.mu.Lock()
			dying.probe.dead = true
			dying.probe.mu.Unlock()
		}
		if _, err := doomed.Tick(t.Context()); err == nil {
			t.Fatal("a dead process stored something")
		}
		alive = fmt.Sprint("doomed-", n)
		tick(w, 0) // it may still be at it
		alive = "nobody"
	}
	tick(w, 0)
	if same(t, "the effect", states(w, id), "ring failed whoever ran it died, each time"); runs != 3 {
		t.Errorf("it ran %d times", runs)
	}
}

// TestLateOwnerOfEffect: who was replaced does not store how it ended.
func TestLateOwnerOfEffect(t *testing.T) {
	w, id, _ := effective(t, record.NewMemory())
	w.Env.OwnerAlive = func(string) bool { return false }
	w.Env.Tools["ring"] = func(_ context.Context, c agent.Call) agent.ToolResult {
		w.Env.Tools["ring"] = done("")
		if n, err := w.NewRuntime("heir").Tick(t.Context()); err != nil || n != 1 {
			t.Errorf("the heir ran %d effects, %v", n, err)
		}
		return agent.ToolResult{Error: "too late"}
	}
	schedule(w, id, "ring", 1, 0)
	tick(w, 1)
	same(t, "the effect", states(w, id), "ring completed")
}

// TestEffectsOfShutdown: what is cut off by the end of its host is run by the next.
func TestEffectsOfShutdown(t *testing.T) {
	w, id, _ := effective(t, record.NewMemory())
	ctx, cancel := context.WithCancel(t.Context())
	w.Env.Tools["ring"] = func(ctx context.Context, _ agent.Call) agent.ToolResult {
		cancel()
		return agent.ToolResult{Error: context.Cause(ctx).Error()}
	}
	schedule(w, id, "ring", 1, 0)
	if _, err := w.Tick(ctx); err == nil {
		t.Error("a Tick whose context is over says nothing of it")
	}
	same(t, "the effect", states(w, id), "ring pending context canceled")
	w.Env.Tools["ring"] = done("")
	tick(w, 1)
	same(t, "the effect", states(w, id), "ring completed")
}

// TestEffectsFail: an effect that fails does not keep the others, and says what it was.
func TestEffectsFail(t *testing.T) {
	w, id, rung := effective(t, record.NewMemory())
	w.Env.Tools["break"], w.Env.Tools["crash"], w.Env.Tools["vanish"] = failing("it is broken"), func(context.Context, agent.Call) agent.ToolResult { panic("oh") }, done("")
	for _, name := range []string{"break", "crash", "vanish", "ring"} {
		schedule(w, id, name, 1, 0)
	}
	delete(w.Env.Tools, "vanish")
	tick(w, 4)
	same(t, "the effects", states(w, id), "break failed it is broken", "crash failed the effect crash crashed: oh", "vanish failed effect not registered: vanish", "ring completed")
	same(t, "what ran", *rung, "1")
	if _, err := w.ScheduleEffect(t.Context(), id, "vanish", nil, 0); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("an unknown effect: %v", err)
	}
	if _, err := w.ScheduleEffect(t.Context(), id, "ring", func() {}, 0); item.TypeOf(err) != item.TypeUsage {
		t.Errorf("arguments that are no JSON: %v", err)
	}
	if _, err := w.ScheduleEffect(t.Context(), "nobody", "ring", nil, 0); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("an unknown thread: %v", err)
	}
}

func TestEffectIsCanceled(t *testing.T) {
	w, id, rung := effective(t, record.NewMemory())
	s, effect := w.State(id), schedule(w, id, "ring", 1, time.Second)
	schedule(w, id, "ring", 2, time.Second)
	for _, want := range []bool{true, false} {
		if canceled, err := s.CancelEffect(t.Context(), effect); err != nil || canceled != want {
			t.Errorf("canceled: %v, %v; want %v", canceled, err, want)
		}
	}
	w.Clock.Advance(time.Second)
	tick(w, 1)
	same(t, "what ran", *rung, "2")
	same(t, "the effects", states(w, id), "ring canceled", "ring completed")
	if list, err := s.Effects(t.Context(), "other"); err != nil || len(list) != 0 {
		t.Errorf("effects of another name: %+v, %v", list, err)
	}
}

// TestEffectsOfTerminatedThread are refused when they are due, and none can be added.
func TestEffectsOfTerminatedThread(t *testing.T) {
	w, id, rung := effective(t, record.NewMemory())
	other := w.Thread("helper")
	schedule(w, id, "ring", 1, 0)
	schedule(w, other, "ring", 2, 0)
	if err := w.Terminate(t.Context(), id, "enough"); err != nil {
		t.Fatal(err)
	}
	tick(w, 1)
	same(t, "what ran", *rung, "2")
	same(t, "the effects", states(w, id), "ring canceled the thread was terminated")
	if _, err := w.ScheduleEffect(t.Context(), id, "ring", nil, 0); err == nil {
		t.Error("a terminated thread can have more effects")
	}
}

// TestEffectsAreBounded: old ones that are over make room; those that wait do not.
func TestEffectsAreBounded(t *testing.T) {
	w, id, _ := effective(t, record.NewMemory())
	for range agent.MaxEffects {
		schedule(w, id, "ring", 1, 0)
	}
	if _, err := w.ScheduleEffect(t.Context(), id, "ring", 1, 0); item.TypeOf(err) != item.TypeLimit || !strings.Contains(err.Error(), "MaxEffects") {
		t.Errorf("one effect too many: %v", err)
	}
	tick(w, agent.MaxEffects)
	newest := schedule(w, id, "ring", 1, 0)
	list, err := w.Effects(t.Context(), id, "")
	if n := len(list); err != nil || n != agent.MaxEffects*9/10+1 || list[n-1].ID != newest || list[0].Status != agent.EffectCompleted {
		t.Errorf("%d effects are left, %v", n, err)
	}
}
