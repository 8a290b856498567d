package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ryeos/rye/pkg/thread"
)

func init() {
	helpers["field"] = field
	helpers["plant-threads"] = plantThreads
}

// cmdKeep: keep NAME sets a variable to what the last program wrote to its standard output.
func cmdKeep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: keep NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// field NAME… prints a field of the JSON document on standard input; a number is an index of a list.
func field() {
	dec := json.NewDecoder(os.Stdin)
	dec.UseNumber()
	var value any
	check(dec.Decode(&value))
	for _, name := range os.Args[1:] {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			check(err)
			value = v[i]
		}
	}
	fmt.Println(value)
}

// plantThreads AGE STATUS ID… records threads that ended AGE ago; with the status created they have not.
func plantThreads() {
	age, err := time.ParseDuration(os.Args[1])
	check(err)
	ctx := context.Background()
	dir := filepath.Join(".ai", "state", "threads")
	store, err := thread.Open(ctx, dir, thread.Options{Now: func() time.Time { return time.Now().Add(-age) }})
	check(err)
	for _, id := range os.Args[3:] {
		_, err := store.Register(ctx, thread.New{ID: id, Item: "tool:planted"})
		check(err)
		if status := thread.Status(os.Args[2]); status != thread.Created {
			lock, err := store.Lock(ctx, id)
			check(err)
			check(store.Begin(ctx, lock))
			check(store.Finish(ctx, id, thread.Outcome{Status: status}))
			check(lock.Release())
		}
	}
	check(store.Close()) // leaves everything in the one file
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "12h": 12 * time.Hour, "1d": day, "30d": 30 * day, "0.5d": 12 * time.Hour,
	} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("parseAge(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "3x", "0d", "-1d", "1e9d", "NaNd", "30"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("parseAge(%q) = %v, want an error", text, got)
		}
	}
}

func TestBriefDurations(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		-time.Second:                  {"now", "0ms"},
		340 * time.Millisecond:        {"now", "340ms"},
		9990 * time.Millisecond:       {"9s ago", "9.9s"},
		59999 * time.Millisecond:      {"59s ago", "59s"},
		2*time.Minute + 3*time.Second: {"2m ago", "2m03s"},
		47*time.Hour + 5*time.Minute:  {"47h ago", "47h05m"},
		49 * time.Hour:                {"2d ago", "49h00m"},
	} {
		if got := [2]string{ago(d), brief(d)}; got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

// Ids are short where the start of a random one is enough, and whole where it is not.
func TestShortIDs(t *testing.T) {
	const a, b, c = "11111111-0000-4000-8000-000000000001", "11111111-0000-4000-8000-000000000002", "22222222-0000-4000-8000-000000000003"
	got := shortIDs([]thread.Thread{{ID: a}, {ID: c}, {ID: b}, {ID: c}, {ID: "my/run-1"}})
	for id, want := range map[string]string{a: a, b: b, c: "22222222", "my/run-1": "my/run-1"} {
		if got[id] != want {
			t.Errorf("%s is shown as %q, want %q", id, got[id], want)
		}
	}
}
