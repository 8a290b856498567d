package thread

import (
	"encoding/json"
	"testing"
)

func BenchmarkRegister(b *testing.B) {
	s := open(b, b.TempDir())
	for b.Loop() {
		register(b, s, New{})
	}
}

func BenchmarkFinish(b *testing.B) {
	s := open(b, b.TempDir())
	for b.Loop() {
		b.StopTimer()
		id := register(b, s, New{}).ID
		b.StartTimer()
		if err := s.Finish(b.Context(), id, Outcome{Status: Error, Result: json.RawMessage(`{"success":false}`)}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkList reads the newest 50 among 100 000.
func BenchmarkList(b *testing.B) {
	s := open(b, b.TempDir())
	fill(b, s, 100_000)
	for name, filter := range map[string]Filter{"all": {}, "statuses": {Status: []Status{Error, Completed}}, "item": {Item: "tool:x/3"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if list, err := s.List(b.Context(), filter); err != nil || len(list) != 50 {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	open(b, dir) // stays open, so that closing others costs no checkpoint
	for b.Loop() {
		s, err := Open(b.Context(), dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
