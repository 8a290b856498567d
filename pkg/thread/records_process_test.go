package thread

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/recordtest"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	helpers["count"] = func(dir string, args []string) error { return countUp(dir, args[0]) }
	helpers["record"] = func(dir string, _ []string) error { return recordForever(dir) }
}

// countUp increments a number that other processes increment, too.
func countUp(dir, times string) error {
	s, err := Open(context.Background(), dir, Options{})
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(times)
	for ; n > 0 && err == nil; n-- {
		err = recordtest.Increment(context.Background(), s.Records(), record.Key{Name: "counter"})
	}
	return errors.Join(err, s.Close())
}

func TestProcessesShareRecords(t *testing.T) {
	dir := t.TempDir()
	var running sync.WaitGroup
	for range 2 {
		cmd := helper(t, "count", dir, "1000")
		running.Go(func() { report(t, cmd) })
	}
	running.Wait()
	if got := getRecord(t, open(t, dir), record.Key{Name: "counter"}); string(got) != "2000" {
		t.Errorf("counted to %s", got)
	}
}

// recordForever makes documents, two in each transaction, and says which are on the disk.
func recordForever(dir string) error {
	s, err := Open(context.Background(), dir, Options{})
	if err != nil {
		return err
	}
	for {
		n := 0
		err := s.Records().Update(context.Background(), func(tx record.Tx) error {
			last, err := tx.Scan("t", "one", record.Range{Last: true, Limit: 1})
			if err != nil {
				return err
			}
			if len(last) > 0 {
				if n, err = strconv.Atoi(last[0].Name); err != nil {
					return err
				}
			}
			n++
			name := fmt.Sprintf("%08d", n)
			document := make([]byte, 3*pieceLength)
			return errors.Join(tx.Put(record.Key{Thread: "t", Bucket: "one", Name: name}, document), tx.Put(record.Key{Thread: "t", Bucket: "two", Name: name}, document))
		})
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestKilledBetweenRecords kills a process again and again, somewhere: what it has acknowledged is there, and whole.
func TestKilledBetweenRecords(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	acknowledged := 0
	for range 20 {
		cmd := helper(t, "record", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for wait := rand.IntN(20); wait >= 0 && lines.Scan(); wait-- {
			acknowledged, err = strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(rand.N(3 * time.Millisecond)) // so that it dies anywhere in a transaction
		cmd.Process.Kill()
		for lines.Scan() {
			acknowledged, _ = strconv.Atoi(lines.Text())
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
			t.Fatalf("it was not killed: %v: %s", err, cmd.Stderr)
		}
		checkRecorded(t, open(t, dir), acknowledged)
	}
	if acknowledged < 20 {
		t.Errorf("only %d were acknowledged", acknowledged)
	}
}

// checkRecorded finds each document up to the number, in both buckets, and at most one more.
func checkRecorded(t *testing.T, s *Store, acknowledged int) {
	t.Helper()
	err := s.Records().View(t.Context(), func(r record.Reader) error {
		one, err := r.Scan("t", "one", record.Range{})
		two, twoErr := r.Scan("t", "two", record.Range{})
		if len(one) != len(two) || len(one) < acknowledged || len(one) > acknowledged+1 {
			t.Errorf("%d and %d documents, acknowledged were %d", len(one), len(two), acknowledged)
		}
		for i, e := range append(one, two...) {
			if e.Name != fmt.Sprintf("%08d", i%len(one)+1) || len(e.Document) != 3*pieceLength {
				t.Errorf("document %d is %s with %d bytes", i, e.Name, len(e.Document))
			}
		}
		return errors.Join(err, twoErr)
	})
	if err != nil {
		t.Fatal(err)
	}
}
