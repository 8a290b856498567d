package recordtest

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/record"
)

func key(name string) record.Key { return record.Key{Thread: "t", Bucket: "b", Name: name} }

// testOwnWrites: a transaction sees what it did, the others see it afterwards.
func testOwnWrites(t *testing.T, s record.Storage) {
	put(t, s, key("b"), "old")
	put(t, s, key("d"), "old")
	put(t, s, record.Key{Bucket: "b", Name: "c"}, "of no thread")
	const during = `"a"="new" "b"="new"`
	update(t, s, func(tx record.Tx) error {
		err := errors.Join(tx.Put(key("b"), []byte("new")), tx.Put(key("a"), []byte("new")), tx.Delete(key("d")),
			tx.Put(key("c"), nil), tx.Delete(key("c")), tx.Delete(key("e")))
		got, getErr := tx.Get(key("b"))
		if gone, err := tx.Get(key("d")); string(got) != "new" || gone != nil || err != nil {
			t.Errorf("in the transaction: %s, %s, %v", show(got), show(gone), err)
		}
		list, scanErr := tx.Scan("t", "b", record.Range{})
		if showEntries(list) != during {
			t.Errorf("in the transaction: %s", showEntries(list))
		}
		return errors.Join(err, getErr, scanErr)
	})
	err := s.View(t.Context(), func(r record.Reader) error {
		list, err := r.Scan("t", "b", record.Range{})
		if showEntries(list) != during {
			t.Errorf("afterwards: %s", showEntries(list))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	expect(t, s, record.Key{Bucket: "b", Name: "c"}, `"of no thread"`)
}

// change does everything that testErrors, testPanics and testContexts then look for.
func change(tx record.Tx) error {
	return errors.Join(tx.Put(key("a"), []byte("new")), tx.Put(key("new"), nil), tx.Delete(key("b")))
}

func expectUnchanged(t *testing.T, s record.Storage) {
	t.Helper()
	expect(t, s, key("a"), `"old"`)
	expect(t, s, key("b"), `"old"`)
	expect(t, s, key("new"), "none")
}

// testErrors: the error of the function comes back as it is, and nothing else does.
func testErrors(t *testing.T, s record.Storage) {
	put(t, s, key("a"), "old")
	put(t, s, key("b"), "old")
	for _, failure := range []error{errors.New("failed"), context.Canceled} {
		if err := s.Update(t.Context(), func(tx record.Tx) error { return errors.Join(change(tx), failure) }); !errors.Is(err, failure) {
			t.Errorf("Update: %v", err)
		}
		if err := s.Update(t.Context(), func(record.Tx) error { return failure }); err != failure {
			t.Errorf("Update: %v", err)
		}
		if err := s.View(t.Context(), func(record.Reader) error { return failure }); err != failure {
			t.Errorf("View: %v", err)
		}
	}
	expectUnchanged(t, s)
}

func testPanics(t *testing.T, s record.Storage) {
	put(t, s, key("a"), "old")
	put(t, s, key("b"), "old")
	recovered := func(f func()) (value any) {
		defer func() { value = recover() }()
		f()
		return nil
	}
	for range 20 { // more often than a pool has connections
		got := recovered(func() {
			s.Update(t.Context(), func(tx record.Tx) error { panic(errors.Join(errors.New("panic"), change(tx))) })
		})
		if err, ok := got.(error); !ok || err.Error() != "panic" {
			t.Fatalf("the panic came back as %v", got)
		}
		if got := recovered(func() { s.View(t.Context(), func(record.Reader) error { panic("panic") }) }); got != "panic" {
			t.Fatalf("the panic came back as %v", got)
		}
	}
	expectUnchanged(t, s)
}

func testContexts(t *testing.T, s record.Storage) {
	put(t, s, key("a"), "old")
	put(t, s, key("b"), "old")
	over := cancelled(t)
	if err := s.Update(over, func(record.Tx) error { t.Error("Update begins"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Update: %v", err)
	}
	if err := s.View(over, func(record.Reader) error { t.Error("View begins"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("View: %v", err)
	}
	for range 20 { // a storage may notice it sooner or later
		ctx, cancel := context.WithCancel(t.Context())
		err := s.Update(ctx, func(tx record.Tx) error {
			defer cancel()
			return change(tx)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled within: %v", err)
		}
	}
	expectUnchanged(t, s)
}

// testWaiting: an Update that waits for another one gives up with its context.
func testWaiting(t *testing.T, s record.Storage) {
	ctx, cancel := context.WithCancel(t.Context())
	began, done := make(chan bool), make(chan error, 1)
	update(t, s, func(tx record.Tx) error {
		go func() {
			began <- true
			done <- s.Update(ctx, func(record.Tx) error { t.Error("two Updates at a time"); return nil })
		}()
		<-began
		cancel()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the one that waited: %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("its context is over, and it waits")
		}
		return tx.Put(key("a"), []byte("new"))
	})
	expect(t, s, key("a"), `"new"`)
}

// testOneState: two documents always have the same value, and a View that reads them one after the other sees that. What
// was done before it began it sees as well.
func testOneState(t *testing.T, s record.Storage) {
	set := func(n int) error {
		return s.Update(t.Context(), func(tx record.Tx) error {
			value := []byte(strconv.Itoa(n))
			return errors.Join(tx.Put(key("a"), value), tx.Put(record.Key{Thread: "other", Name: "a"}, value))
		})
	}
	if err := set(0); err != nil {
		t.Fatal(err)
	}
	var writing sync.WaitGroup
	stop := make(chan bool)
	writing.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := set(n); err != nil {
				t.Error(err)
				return
			}
		}
	})
	newest := 0
	for range 300 {
		err := s.View(t.Context(), func(r record.Reader) error {
			first, err := r.Get(key("a"))
			list, scanErr := r.Scan("other", "", record.Range{})
			if len(list) != 1 || string(list[0].Document) != string(first) {
				t.Errorf("a View saw %s and then %s", show(first), showEntries(list))
			}
			n, _ := strconv.Atoi(string(first))
			if n < newest {
				t.Errorf("a View saw %d, the one before it %d", n, newest)
			}
			newest = n
			return errors.Join(err, scanErr)
		})
		if err != nil {
			t.Error(err)
		}
	}
	close(stop)
	writing.Wait()
}

// testOneAfterAnother: no increment is lost.
func testOneAfterAnother(t *testing.T, s record.Storage) {
	const goroutines = 20
	each := 100
	if testing.Short() {
		each = 20
	}
	var running sync.WaitGroup
	for range goroutines {
		running.Go(func() {
			for range each {
				if err := Increment(t.Context(), s, key("counter")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	expect(t, s, key("counter"), show([]byte(strconv.Itoa(goroutines*each))))
}

// Increment adds one to the number that is a document.
func Increment(ctx context.Context, s record.Storage, k record.Key) error {
	return s.Update(ctx, func(tx record.Tx) error {
		document, err := tx.Get(k)
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(string(document)) // 0 if there is none
		return tx.Put(k, []byte(strconv.Itoa(n+1)))
	})
}

// Beside tests what storages may do and need not: an Update ends while a View goes on, which does not see it.
func Beside(t *testing.T, s record.Storage) {
	put(t, s, key("a"), "old")
	put(t, s, key("b"), "old")
	err := s.View(t.Context(), func(r record.Reader) error {
		before, err := r.Scan("t", "b", record.Range{})
		update(t, s, change)
		put(t, s, record.Key{Thread: "another", Bucket: "b", Name: "a"}, "new")
		after, afterErr := r.Scan("t", "b", record.Range{})
		if got := showEntries(after); got != `"a"="old" "b"="old"` || got != showEntries(before) {
			t.Errorf("the View sees %s, and before %s", got, showEntries(before))
		}
		if other, err := r.Get(record.Key{Thread: "another", Bucket: "b", Name: "a"}); other != nil || err != nil {
			t.Errorf("the View sees %s, %v", show(other), err)
		}
		return errors.Join(err, afterErr)
	})
	if err != nil {
		t.Error(err)
	}
	expect(t, s, key("a"), `"new"`)
	expect(t, s, key("b"), "none")
}
