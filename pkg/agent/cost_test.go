package agent_test

import (
	"context"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/record"
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

// TestCostIsFlat compares what steps ask of the storage late in a thread with what they ask early.
func TestCostIsFlat(t *testing.T) {
	const steps = 1000
	m := &meter{Storage: record.NewMemory()}
	marks := map[int]meter{}
	if _, err := agenttest.Marathon(m, steps, func(step int) { marks[step] = *m }); err != nil {
		t.Fatal(err)
	}
	between := func(from, to int) [5]int {
		a, b := marks[from], marks[to]
		return [5]int{b.updates - a.updates, b.reads - a.reads, b.rows - a.rows, b.writes - a.writes, b.bytes - a.bytes}
	}
	early, late := between(100, 200), between(steps-100, steps)
	for i, what := range []string{"transactions", "reads", "rows read", "writes", "bytes written"} {
		if float64(late[i]) > 1.05*float64(early[i]) || early[0] == 0 {
			t.Errorf("%s in 100 steps: %d early, %d late", what, early[i], late[i])
		}
	}
	t.Logf("in 100 steps: %v early, %v late", early, late)
}

// TestGrowthIsLinear holds the database against the transcript that is in it.
func TestGrowthIsLinear(t *testing.T) {
	growth, err := agenttest.MeasureGrowth(t.TempDir(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%+v: %.3f", growth, growth.Ratio()); growth.Ratio() > 1.2 {
		t.Errorf("the database grows by %.3f times the transcript", growth.Ratio())
	}
}
