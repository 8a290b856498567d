package graphtest

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
)

// ErrKilled is what a journal says once its process is dead.
var ErrKilled = errors.New("killed")

// Journal is a journal in memory. Its zero value lives for ever.
type Journal struct {
	// Kill, when positive, is the write at which the process dies.
	Kill int
	// Late makes that write reach the disk: the process dies after it instead of before.
	Late bool

	mu     sync.Mutex
	writes int
	lines  [][]byte
}

// Append keeps a record.
func (j *Journal) Append(record []byte) error {
	return j.write(func() { j.lines = append(j.lines, slices.Clone(record)) })
}

// Replace keeps nothing else.
func (j *Journal) Replace(record []byte) error {
	return j.write(func() { j.lines = [][]byte{slices.Clone(record)} })
}

func (j *Journal) write(change func()) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writes++
	if j.Kill > 0 && (j.writes > j.Kill || j.writes == j.Kill && !j.Late) {
		return ErrKilled
	}
	change()
	if j.writes == j.Kill {
		return ErrKilled
	}
	return nil
}

// Records gives them in order.
func (j *Journal) Records() iter.Seq2[[]byte, error] {
	j.mu.Lock()
	lines := slices.Clone(j.lines)
	j.mu.Unlock()
	return func(yield func([]byte, error) bool) {
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}

func (j *Journal) empty() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.lines) == 0
}

// open counts the intents since the latest receipt whose slots have the text in them, less those that have a result.
func (j *Journal) open(slot string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, line := range slices.Backward(j.lines) {
		var r struct{ Kind, Slot string }
		if err := json.Unmarshal(line, &r); err != nil || r.Kind == "receipt" && slot[0] != '/' || r.Kind == "begin" {
			break
		}
		if strings.Contains(r.Slot, slot) {
			n += map[string]int{"intent": 1, "effect": -1}[r.Kind]
		}
	}
	return n
}

// Writes is how many there were, those that failed included.
func (j *Journal) Writes() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writes
}

// Revived is the journal as the next process finds it, which dies at the given write; 0: never.
func (j *Journal) Revived(kill int, late bool) *Journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	return &Journal{Kill: kill, Late: late, lines: slices.Clone(j.lines)}
}
