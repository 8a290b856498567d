package recordtest

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ryeos/rye/pkg/record"
)

var seed = flag.Uint64("recordtest.seed", 0, "the seed of the random operations; another one each time if 0")

// model is a storage as one would draw it. All storages that agree with it agree with each other.
type model map[record.Key][]byte

func (m model) scan(thread, bucket string, r record.Range) (list []record.Entry) {
	for _, name := range names {
		document, ok := m[record.Key{Thread: thread, Bucket: bucket, Name: name}]
		if ok && (r.After == "" || name > r.After) && (r.Before == "" || name < r.Before) {
			list = append(list, record.Entry{Name: name, Document: document})
		}
	}
	if r.Last {
		slices.Reverse(list)
	}
	if r.Limit > 0 {
		list = list[:min(r.Limit, len(list))]
	}
	return list
}

var errTakeBack = errors.New("take back")

// testRandomOperations does the same to a storage and to the model.
func testRandomOperations(t *testing.T, s record.Storage) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("again: go test -recordtest.seed %d", *seed)
	r := random{rand.New(rand.NewPCG(*seed, 0))}
	committed := model{}
	for range 300 {
		if r.IntN(3) == 0 {
			if err := s.View(t.Context(), func(reader record.Reader) error { return r.read(t, reader, committed) }); err != nil {
				t.Fatal(err)
			}
			continue
		}
		tentative := maps.Clone(committed)
		err := s.Update(t.Context(), func(tx record.Tx) error { return r.write(t, tx, tentative) })
		switch {
		case err == nil:
			committed = tentative
		case err != errTakeBack:
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}

type random struct{ *rand.Rand }

func (r random) pick(list []string) string { return list[r.IntN(len(list))] }

func (r random) key() record.Key {
	return record.Key{Thread: r.pick(names[:3]), Bucket: r.pick(names[:2]), Name: r.pick(names)}
}

func (r random) write(t *testing.T, tx record.Tx, m model) error {
	for range r.IntN(8) {
		k := r.key()
		var err error
		switch r.IntN(6) {
		case 0, 1, 2:
			m[k] = bytes.Repeat([]byte{byte(r.Uint32())}, r.IntN(1<<r.IntN(14)))
			err = tx.Put(k, m[k])
		case 3, 4:
			delete(m, k)
			err = tx.Delete(k)
		default:
			err = r.read(t, tx, m)
		}
		if err != nil {
			return err
		}
	}
	if r.IntN(4) == 0 {
		return errTakeBack
	}
	return nil
}

func (r random) read(t *testing.T, reader record.Reader, m model) error {
	k := r.key()
	got, err := reader.Get(k)
	if err != nil {
		return err
	}
	if show(got) != show(m[k]) {
		t.Errorf("%q is %s, not %s", k, show(got), show(m[k]))
	}
	within := record.Range{Last: r.IntN(2) == 0, Limit: max(0, r.IntN(20)-10)}
	if r.IntN(2) == 0 {
		within.After = r.pick(names)
	}
	if r.IntN(2) == 0 {
		within.Before = r.pick(names)
	}
	list, err := reader.Scan(k.Thread, k.Bucket, within)
	if want := m.scan(k.Thread, k.Bucket, within); err == nil && showEntries(list) != showEntries(want) {
		t.Errorf("%+v of %q and %q:\n%s, not\n%s", within, k.Thread, k.Bucket, showEntries(list), showEntries(want))
	}
	return err
}
