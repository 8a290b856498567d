package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"path/filepath"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
	"github.com/ryeos/rye/pkg/thread"
)

// meter counts what a thread asks of its storage.
type meter struct {
	record.Storage
	updates, reads, rows, writes, bytes int
}

func (m *meter) View(ctx context.Context, f func(record.Reader) error) error {
	return m.Storage.View(ctx, func(r record.Reader) error { return f(meteredReader{r, m}) })
}

func (m *meter) Update(ctx context.Context, f func(record.Tx) error) error {
	m.updates++
	return m.Storage.Update(ctx, func(tx record.Tx) error { return f(meteredTx{meteredReader{tx, m}, tx}) })
}

type meteredReader struct {
	record.Reader
	m *meter
}

func (r meteredReader) Get(k record.Key) ([]byte, error) {
	r.m.reads++
	return r.Reader.Get(k)
}

func (r meteredReader) Scan(thread, bucket string, within record.Range) ([]record.Entry, error) {
	entries, err := r.Reader.Scan(thread, bucket, within)
	r.m.reads++
	r.m.rows += len(entries)
	return entries, err
}

type meteredTx struct {
	meteredReader
	tx record.Tx
}

func (t meteredTx) Put(k record.Key, document []byte) error {
	t.m.writes++
	t.m.bytes += len(document)
	return t.tx.Put(k, document)
}

func (t meteredTx) Delete(k record.Key) error {
	t.m.writes++
	return t.tx.Delete(k)
}

const longSteps = 1000

// longThread answers with a call of a tool, again and again, as long as real ones are.
func longThread(t *testing.T, storage record.Storage, atStep func(step int)) (*agenttest.World, string) {
	t.Helper()
	arguments := fmt.Sprintf(`{"path":"src/main.go","old":%q}`, strings.Repeat("x := compute(y) ", 17))
	result := strings.Repeat("The quick brown fox jumps over the lazy dog, line after line.\n", 25)
	p := &agenttest.Provider{Answer: func(n int, _ agent.Request) agenttest.Reply {
		atStep(n)
		if n == longSteps {
			return agenttest.Say("done")
		}
		return agenttest.Reply{Text: strings.Repeat("Now I will look at the next file. ", 9), Calls: []agent.ToolCall{{ID: "call", Name: "work", Arguments: arguments}}}
	}}
	w := agenttest.New(t, storage, p, map[string]agenttest.Func{
		"work": func(context.Context, agent.Call) agent.ToolResult { return agent.ToolResult{Result: result} },
	})
	helper := w.Catalog.Agents["helper"]
	helper.CompactAt, helper.Limits.HardSteps = -1, 2*longSteps
	id := w.Thread("helper")
	if o := w.Say(id, "work"); o.Text != "done" {
		t.Fatalf("outcome %+v", o)
	}
	return w, id
}

// TestCostIsFlat compares what steps ask of the storage late in a thread with what they ask early.
func TestCostIsFlat(t *testing.T) {
	m := &meter{Storage: record.NewMemory()}
	marks := map[int]meter{}
	longThread(t, m, func(step int) { marks[step] = *m })
	between := func(from, to int) [5]int {
		a, b := marks[from], marks[to]
		return [5]int{b.updates - a.updates, b.reads - a.reads, b.rows - a.rows, b.writes - a.writes, b.bytes - a.bytes}
	}
	early, late := between(100, 200), between(longSteps-100, longSteps)
	for i, what := range []string{"transactions", "reads", "rows read", "writes", "bytes written"} {
		if float64(late[i]) > 1.05*float64(early[i]) || early[0] == 0 {
			t.Errorf("%s in 100 steps: %d early, %d late", what, early[i], late[i])
		}
	}
	t.Logf("in 100 steps: %v early, %v late", early, late)
}

// TestGrowthIsLinear holds the database against the transcript that is in it.
func TestGrowthIsLinear(t *testing.T) {
	dir := t.TempDir()
	store, err := thread.Open(t.Context(), dir, thread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil { // which brings everything into the file
		t.Fatal(err)
	}
	empty := databaseSize(t, dir)
	if store, err = thread.Open(t.Context(), dir, thread.Options{}); err != nil {
		t.Fatal(err)
	}
	w, id := longThread(t, store.Records(), func(int) {})
	var transcript bytes.Buffer
	for _, m := range w.Rows(id) {
		if err := json.NewEncoder(&transcript).Encode(m); err != nil {
			t.Fatal(err)
		}
	}

	if err := store.Close(); err != nil { // which brings everything into the file
		t.Fatal(err)
	}

	grown := databaseSize(t, dir)
	ratio := float64(grown) / float64(transcript.Len())
	if t.Logf("%d bytes of database more than the %d at the start; %d bytes of transcript: %.3f", grown, empty, transcript.Len(), ratio); ratio > 1.2 {
		t.Errorf("the database is %.3f times the transcript", ratio)
	}
}

func databaseSize(t *testing.T, dir string) int {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, thread.DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}
