package thread

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"
)

// diagram reads the transitions of docs/thread-states.md.
func diagram(t *testing.T) (arrows map[[2]Status]bool, ends []Status) {
	t.Helper()
	text, err := os.ReadFile("../../docs/thread-states.md")
	if err != nil {
		t.Fatal(err)
	}
	arrows = map[[2]Status]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ +(\S+) --> (\S+)$`).FindAllSubmatch(text, -1) {
		from, to := Status(m[1]), Status(m[2])
		switch {
		case to == "[*]":
			ends = append(ends, from)
		case from != "[*]":
			arrows[[2]Status{from, to}] = true
		}
	}
	return arrows, ends
}

// TestTransitions tries every pair of statuses on the database and compares with the diagram that people read.
func TestTransitions(t *testing.T) {
	s := open(t, t.TempDir())
	arrows, ends := diagram(t)
	for _, from := range Statuses() {
		if from.Terminal() != slices.Contains(ends, from) {
			t.Errorf("%s: terminal is %v, the diagram differs", from, from.Terminal())
		}
		for _, to := range Statuses() {
			thread := register(t, s, New{})
			sqlExec(t, s, `UPDATE threads SET status = ? WHERE thread_id = ?`, from, thread.ID)
			err := s.write(t.Context(), "test", normal, func(tx *tx) error {
				_, err := tx.move(thread.ID, to, "exit_code = ?", 7)
				return err
			})
			after, findErr := s.find(t.Context(), thread.ID)
			if findErr != nil {
				t.Fatal(findErr)
			}
			allowed := arrows[[2]Status{from, to}]
			switch {
			case allowed && (err != nil || after.Status != to || after.ExitCode == nil):
				t.Errorf("%s to %s: %v, and the thread is %s", from, to, err, after.Status)
			case !allowed && (!errors.Is(err, ErrTransition) || after.Status != from || after.ExitCode != nil):
				t.Errorf("%s to %s must be refused: %v, and the thread is %s", from, to, err, after.Status)
			}
			delete(arrows, [2]Status{from, to})
		}
	}
	if len(arrows) > 0 {
		t.Errorf("the diagram has statuses that do not exist: %v", arrows)
	}
}

func TestUnknownStatus(t *testing.T) {
	if s := Status("released"); s.Valid() || s.Terminal() || s.CanBecome(Running) {
		t.Error("a status that does not exist has properties")
	}
}
