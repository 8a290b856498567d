package agenttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/ryeos/rye/pkg/thread"
)

// Growth is what a thread of many steps adds to a database, beside its transcript as JSON lines, in bytes.
type Growth struct{ Database, Transcript int64 }

// Ratio is what counts.
func (g Growth) Ratio() float64 { return float64(g.Database) / float64(g.Transcript) }

// MeasureGrowth runs a Marathon on a new database.
func MeasureGrowth(dir string, steps int) (Growth, error) {
	store, err := open(dir)
	if err != nil {
		return Growth{}, err
	}
	if err := store.Close(); err != nil { // which brings everything into the file
		return Growth{}, err
	}
	file := filepath.Join(dir, "threads", thread.DatabaseName)
	empty, err := os.Stat(file)
	if err != nil {
		return Growth{}, err
	}
	if store, err = open(dir); err != nil {
		return Growth{}, err
	}
	rows, err := Marathon(store.Records(), steps, func(int) {})
	if err != nil {
		store.Close()
		return Growth{}, err
	}
	if err := store.Close(); err != nil {
		return Growth{}, err
	}
	var transcript bytes.Buffer
	for _, m := range rows {
		if err := json.NewEncoder(&transcript).Encode(m); err != nil {
			return Growth{}, err
		}
	}
	grown, err := os.Stat(file)
	if err != nil {
		return Growth{}, err
	}
	return Growth{grown.Size() - empty.Size(), int64(transcript.Len())}, nil
}
