package agent_test

import (
	"context"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/record"
)

// What steps cost.
const (
	costUpdates = iota
	costReads
	costRows
	costWrites
	costBytes
	costs
)

// meter counts what a thread asks of its storage. The flow's own looks at it count as well.
type meter struct {
	record.Storage
	mu   sync.Mutex
	cost [costs]int
}

func (m *meter) add(kind, n int) {
	m.mu.Lock()
	m.cost[kind] += n
	m.mu.Unlock()
}

func (m *meter) now() [costs]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cost
}

func (m *meter) View(ctx context.Context, f func(record.Reader) error) error {
	return m.Storage.View(ctx, func(r record.Reader) error { return f(meteredReader{r, m}) })
}

func (m *meter) Update(ctx context.Context, f func(record.Tx) error) error {
	m.add(costUpdates, 1)
	return m.Storage.Update(ctx, func(tx record.Tx) error { return f(meteredTx{meteredReader{tx, m}, tx}) })
}

type meteredReader struct {
	record.Reader
	m *meter
}

func (r meteredReader) Get(k record.Key) ([]byte, error) {
	r.m.add(costReads, 1)
	return r.Reader.Get(k)
}

func (r meteredReader) Scan(thread, bucket string, within record.Range) ([]record.Entry, error) {
	entries, err := r.Reader.Scan(thread, bucket, within)
	r.m.add(costReads, 1)
	r.m.add(costRows, len(entries))
	return entries, err
}

type meteredTx struct {
	meteredReader
	tx record.Tx
}

func (t meteredTx) Put(k record.Key, document []byte) error {
	t.m.add(costWrites, 1)
	t.m.add(costBytes, len(document))
	return t.tx.Put(k, document)
}

func (t meteredTx) Delete(k record.Key) error {
	t.m.add(costWrites, 1)
	return t.tx.Delete(k)
}

// TestCostIsFlat compares what steps ask of the storage late in a thread with what they ask early.
func TestCostIsFlat(t *testing.T) {
	const steps = 1000
	m := &meter{Storage: record.NewMemory()}
	marks := map[int][costs]int{}
	if _, err := agenttest.Marathon(m, steps, func(step int) { marks[step] = m.now() }); err != nil {
		t.Fatal(err)
	}
	for kind, what := range []string{"transactions", "reads", "rows read", "writes", "bytes written"} {
		early, late := marks[200][kind]-marks[100][kind], marks[steps][kind]-marks[steps-100][kind]
		if float64(late) > 1.05*float64(early) || kind == costUpdates && early == 0 {
			t.Errorf("%s in 100 steps: %d early, %d late", what, early, late)
		}
		t.Logf("%s in 100 steps: %d early, %d late", what, early, late)
	}
}

// TestGrowthIsLinear holds the database against the transcript that is in it.
func TestGrowthIsLinear(t *testing.T) {
	steps := 1000
	if testing.Short() { // SQLite is slow under the race detector
		steps = 200
	}
	growth, err := agenttest.MeasureGrowth(t.TempDir(), steps)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%+v: %.3f", growth, growth.Ratio()); growth.Ratio() > 1.2 {
		t.Errorf("the database grows by %.3f times the transcript", growth.Ratio())
	}
}
