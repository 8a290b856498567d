//go:build linux

package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver behind database/sql

	"github.com/ryeos/rye/pkg/thread"
)

// launch is one `rye execute --async`, and what its caller was told.
type launch struct {
	token string // what the tool writes down once and prints once
	id    string // "" if the caller was not answered
	pid   int    // of the runner, if it was answered
}

// ledger is what was launched in a world, to hold its registry against.
type ledger struct {
	*world
	mu       sync.Mutex
	launches []launch
}

// record is a thread as `rye threads wait` shows it.
type record struct {
	thread.Thread
	Response struct {
		Data json.RawMessage `json:"data"`
	} `json:"response"`
}

var tokenPattern = regexp.MustCompile(`tok[0-9a-f]{16}`)

func newToken() string { return fmt.Sprintf("tok%016x", rand.Uint64()) }

func (l *ledger) effects() string { return filepath.Join(l.project, "effects") }

// tool is a shell command with the effect that is counted: a line of one file. work is what it does between that and
// printing the token.
func (l *ledger) tool(token, work string) string {
	return fmt.Sprintf("echo %s >> '%s'; %s; echo %s", token, l.effects(), work, token)
}

// answered notes what the caller printed.
func (l *ledger) answered(token, stdout string) launch {
	entry := parseAnswer(stdout)
	entry.token = token
	l.mu.Lock()
	defer l.mu.Unlock()
	l.launches = append(l.launches, entry)
	return entry
}

func parseAnswer(stdout string) launch {
	var told struct {
		ID  string `json:"thread_id"`
		PID int    `json:"pid"`
	}
	json.Unmarshal([]byte(stdout), &told) // half a document is no answer
	return launch{id: told.ID, pid: told.PID}
}

// read lets fresh processes look at all threads until each is at its end. While it waits for some, they may start others.
func (l *ledger) read() (records []record, err error) {
	for {
		threads, err := l.list()
		if err != nil || len(threads) == len(records) {
			return records, err
		}
		if records, err = l.wait(threads); err != nil {
			return nil, err
		}
	}
}

func (l *ledger) list() ([]thread.Thread, error) {
	var list struct {
		Threads []thread.Thread `json:"threads"`
	}
	err := l.run("threads", "list", "-o", "json", "--limit", "1000000").decode(&list)
	return list.Threads, err
}

func (l *ledger) wait(threads []thread.Thread) (records []record, err error) {
	for chunk := range slices.Chunk(threads, 100) {
		args := []string{"threads", "wait", "-o", "json", "--timeout", "60s"}
		for _, t := range chunk {
			args = append(args, t.ID)
		}
		var ended struct {
			Threads []record `json:"threads"`
		}
		a := l.run(args...)
		if err := a.decode(&ended); err != nil {
			return nil, err
		}
		if len(ended.Threads) != len(chunk) {
			return nil, fmt.Errorf("%d of %d threads came to their end: exit %d, %.1000s", len(ended.Threads), len(chunk), a.code, a.stdout)
		}
		records = append(records, ended.Threads...)
	}
	return records, nil
}

// check holds the registry against what was launched and what had an effect, and counts how the threads ended.
func (l *ledger) check(r *report) {
	records, err := l.read()
	if err != nil {
		r.breakf("reading the registry: %v", err)
		return
	}
	effects, err := l.countEffects()
	r.expect("reading the effects", err)
	byID, rows := map[string]record{}, map[string]int{}
	for _, t := range records {
		token := tokenPattern.FindString(string(t.Request))
		byID[t.ID] = t
		rows[token]++
		if t.Status == thread.Error {
			r.count(fmt.Sprintf("ended %s (%s)", t.Status, t.ErrorType), 1)
		} else {
			r.count("ended "+string(t.Status), 1)
		}
		l.checkRecord(r, t, token, effects[token])
	}
	for token, n := range effects {
		if n > 1 || rows[token] == 0 {
			r.breakf("%s took effect %d times and has %d rows", token, n, rows[token])
		}
	}
	for _, entry := range l.launches {
		told, row := entry.id != "", byID[entry.id]
		if told && tokenPattern.FindString(string(row.Request)) != entry.token {
			r.breakf("%s was answered with thread %s, whose row is %q", entry.token, entry.id, row.ID)
		}
		if rows[entry.token] > 1 {
			r.breakf("%s has %d rows", entry.token, rows[entry.token])
		}
		r.count(map[bool]string{true: "answered", false: "unanswered"}[told], 1)
		if !told && rows[entry.token] == 0 {
			r.count("never registered", 1)
		}
	}
	r.count("effects", len(effects))
	r.expect("the database", l.checkDatabase())
}

func (l *ledger) checkRecord(r *report, t record, token string, effects int) {
	switch {
	case !t.Status.Terminal():
		r.breakf("%s is %s", t.ID, t.Status)
	case t.Status == thread.Completed && (token == "" || !strings.Contains(string(t.Response.Data), token) || effects != 1):
		r.breakf("%s completed with the result %s and %d effects of %q", t.ID, t.Response.Data, effects, token)
	case t.Status == thread.Lost && (t.Evidence == nil || t.Evidence.Reason == ""):
		r.breakf("%s is lost without evidence", t.ID)
	case t.Status != thread.Completed && t.Error == "" && t.CancelRequested.IsZero():
		r.breakf("%s is %s and does not say why", t.ID, t.Status)
	}
	if t.Status == thread.Lost && t.Evidence != nil {
		r.count("lost from "+string(t.Evidence.Was), 1)
	}
}

// countEffects counts the lines of each token.
func (l *ledger) countEffects() (map[string]int, error) {
	data, err := os.ReadFile(l.effects())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(data)) {
		counts[strings.TrimSuffix(line, "\n")]++
	}
	return counts, err
}

// checkDatabase asks SQLite whether the file is sound, if there is one.
func (w *world) checkDatabase() error {
	if _, err := os.Stat(filepath.Join(w.registry(), thread.DatabaseName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return w.withDatabase(func(db *sql.DB) error {
		var integrity string
		if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&integrity); err != nil || integrity != "ok" {
			return fmt.Errorf("integrity check: %s: %w", integrity, err)
		}
		var orphans int
		err := db.QueryRow(`SELECT count(*) FROM pragma_foreign_key_check`).Scan(&orphans)
		if err == nil && orphans > 0 {
			err = fmt.Errorf("%d rows without their thread", orphans)
		}
		return err
	})
}

// withDatabase opens the registry around rye.
func (w *world) withDatabase(f func(*sql.DB) error) error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.registry(), thread.DatabaseName)+"?_pragma=busy_timeout(30000)")
	if err != nil {
		return err
	}
	return errors.Join(f(db), db.Close())
}
