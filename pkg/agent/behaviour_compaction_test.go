package agent_test

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("B7-41", behavesMark)
	conform("B7-66", behavesSummary)
	conform("B7-67", behavesLostSummary)
}

// compacted is a thread that was compacted before its second answer, and is asked a third time in another process.
func compacted(t *testing.T, storage record.Storage, between func(thread string)) (w *agenttest.World, id string, last agent.Request) {
	w = agenttest.New(t, storage, agenttest.Script(agenttest.Say("one"), agenttest.Say("They counted."), agenttest.Say("two"), agenttest.Say("three")), nil)
	id = w.Thread("helper")
	w.Say(id, "1")
	w.Catalog.Agents["helper"].CompactAt = 1
	w.Say(id, "2")
	w.Catalog.Agents["helper"].CompactAt = 0
	between(id)
	w.Runtime = w.NewRuntime("heir")
	w.Say(id, "3")
	requests := w.Provider.Requests()
	return w, id, requests[len(requests)-1]
}

func behavesMark(t *testing.T, storage record.Storage) {
	w, id, last := compacted(t, storage, func(string) {})
	same(t, "the request", asked(last)[1:], "user: 2", "assistant: two", "user: 3")
	same(t, "the thread", transcript(w.Rows(id)), "user: 1", "assistant: one", "user: 2", "assistant: two", "user: 3", "assistant: three")
	archives, err := w.Archives(t.Context(), id)
	thread, also := w.Runtime.Thread(t.Context(), id)
	if err != nil || also != nil || len(archives) != 1 || thread.Archive != archives[0].Name || thread.Mark != w.Rows(id)[1].ID {
		t.Errorf("archives %+v, thread %+v, %v, %v", archives, thread, err, also)
	}
}

func behavesSummary(t *testing.T, storage record.Storage) {
	_, _, last := compacted(t, storage, func(string) {})
	if first := asked(last)[0]; !strings.HasPrefix(first, "user: ") || !strings.Contains(first, "They counted.") {
		t.Errorf("the request begins with %q", first)
	}
}

func behavesLostSummary(t *testing.T, storage record.Storage) {
	name := ""
	_, _, last := compacted(t, storage, func(thread string) {
		err := storage.Update(t.Context(), func(tx record.Tx) error {
			list, err := tx.Scan(thread, "archive", record.Range{})
			if err != nil || len(list) != 1 {
				t.Fatalf("archives %q, %v", list, err)
			}
			name = list[0].Name
			return tx.Delete(record.Key{Thread: thread, Bucket: "archive", Name: name})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if first := asked(last)[0]; !strings.Contains(first, name) || !strings.Contains(first, "unavailable") {
		t.Errorf("the request begins with %q", first)
	}
}
