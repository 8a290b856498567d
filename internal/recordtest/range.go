package recordtest

import (
	"slices"
	"testing"

	"github.com/ryeos/rye/pkg/record"
)

// testRanges compares ranges with what slices of the names say.
func testRanges(t *testing.T, s record.Storage) {
	update(t, s, func(tx record.Tx) error {
		for _, i := range slices.Backward(names) {
			if err := tx.Put(record.Key{Thread: "t", Bucket: "b", Name: i}, []byte(i)); err != nil {
				return err
			}
		}
		return tx.Put(record.Key{Thread: "t", Bucket: "other", Name: "a"}, nil)
	})
	n := len(names)
	for _, test := range []struct {
		name string
		r    record.Range
		want []string
	}{
		{"all", record.Range{}, names},
		{"limit", record.Range{Limit: 3}, names[:3]},
		{"more than all", record.Range{Limit: n + 1}, names},
		{"after one that is there", record.Range{After: names[4]}, names[5:]},
		{"after one that is not", record.Range{After: "0000"}, names[7:]},
		{"after NUL", record.Range{After: "\x00"}, names[2:]},
		{"after all", record.Range{After: "\xff\xff"}, nil},
		{"before one that is there", record.Range{Before: "b"}, names[:slices.Index(names, "b")]},
		{"before all", record.Range{Before: "\x00"}, names[:1]},
		{"between", record.Range{After: "a", Before: "b"}, names[slices.Index(names, "a\x00"):slices.Index(names, "b")]},
		{"between neighbours", record.Range{After: "\x00", Before: "\x00\x00"}, nil},
		{"between one and itself", record.Range{After: "a", Before: "a"}, nil},
		{"the wrong way round", record.Range{After: "b", Before: "a"}, nil},
		{"limit of between", record.Range{After: "a", Before: "b", Limit: 1}, []string{"a\x00"}},
		{"last", record.Range{Last: true}, reversed(names)},
		{"the last two", record.Range{Last: true, Limit: 2}, reversed(names[n-2:])},
		{"the last before", record.Range{Before: "b", Last: true, Limit: 1}, []string{"a\u0301"}},
		{"the last after", record.Range{After: "é", Last: true}, reversed(names[slices.Index(names, "é")+1:])},
	} {
		err := s.View(t.Context(), func(r record.Reader) error {
			list, err := r.Scan("t", "b", test.r)
			var got []string
			for _, e := range list {
				if got = append(got, e.Name); e.Document == nil || string(e.Document) != e.Name {
					t.Errorf("%s: the document of %q is %s", test.name, e.Name, show(e.Document))
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s: %q, not %q", test.name, got, test.want)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
