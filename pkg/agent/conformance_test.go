package agent_test

import (
	_ "embed"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/record"
	"github.com/ryeos/rye/pkg/thread"
)

// statement is a line of testdata/rows.txt: what a runtime has to do, and how it is seen that this one does. Without a fourth
// column a test of this package shows it, which conform registers. Else the column is one of
//
//	@ FILE#TEST  a test elsewhere in the module
//	= ID ID …    other statements say the same
//	! REASON     it is left out
type statement struct{ id, level, text, how string }

//go:embed testdata/rows.txt
var rowsFile string

// shown is a test that shows a statement, and its file.
type shown struct {
	file string
	test func(t *testing.T, storage record.Storage)
}

var conformance = map[string]shown{}

// conform registers the test of a statement, in an init function:
//
//	func init() {
//		conform("SA-7.5", testInstancesAreBounded)
//	}
//
// It runs as TestConformance/SA-7.5/memory and TestConformance/SA-7.5/sqlite. Each run has a storage of its own.
func conform(id string, test func(t *testing.T, storage record.Storage)) {
	if _, twice := conformance[id]; twice {
		panic("two tests of " + id)
	}
	_, file, _, _ := runtime.Caller(1)
	conformance[id] = shown{filepath.Base(file), test}
}

func TestConformance(t *testing.T) {
	for _, s := range statements(t) {
		row, ok := conformance[s.id]
		if !ok {
			continue // TestConformanceIsComplete judges that
		}
		t.Run(s.id, func(t *testing.T) {
			for _, kind := range storages {
				t.Run(kind.name, func(t *testing.T) { row.test(t, kind.open(t)) })
			}
		})
	}
}

// statements are the lines of testdata/rows.txt.
func statements(t *testing.T) []statement {
	t.Helper()
	var list []statement
	for line := range strings.Lines(rowsFile) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 3 && len(columns) != 4 {
			t.Fatalf("testdata/rows.txt: %q has %d columns", line, len(columns))
		}
		columns = append(columns, "")
		list = append(list, statement{columns[0], columns[1], columns[2], columns[3]})
	}
	return list
}

// storages are those that every statement is shown with.
var storages = []struct {
	name string
	open func(t *testing.T) record.Storage
}{
	{"memory", func(*testing.T) record.Storage { return record.NewMemory() }},
	{"sqlite", openSQLite},
}

func openSQLite(t *testing.T) record.Storage {
	t.Helper()
	store, err := thread.Open(t.Context(), t.TempDir(), thread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store.Records()
}
