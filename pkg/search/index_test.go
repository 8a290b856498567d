package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestUpdate(t *testing.T) {
	ix := library(t, Document{Name: "a", Body: "one two"}, Document{Name: "b", Body: "two three"}, Document{Name: "c", Body: "one three two"})
	b := ix.Update(func(file int) bool { return ix.Files[file].Path != "b" })
	b.Add(NewText("d", Stamp{Size: 1}, &Document{Name: "d", Body: "one two four"}))
	b.Add(NewText("e", Stamp{Size: 1}, nil))
	got := b.Index()
	want := library(t, Document{Name: "a", Body: "one two"}, Document{Name: "c", Body: "one three two"}, Document{Name: "d", Body: "one two four"})
	for _, query := range []string{"one", "two", "three", "four", `"one two"`, `"three two"`, "NOT four"} {
		if g, w := find(t, got, query), find(t, want, query); !slices.Equal(g, w) {
			t.Errorf("%s: got %v, want %v", query, g, w)
		}
	}
	if found := find(t, ix, "two"); len(found) != 3 {
		t.Errorf("the old index has changed: %v", found)
	}
	if slices.ContainsFunc(got.words, func(word string) bool { return word == "b" }) {
		t.Error("a word that no file has is still there")
	}
}

func TestIndexIsBounded(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	ix := library(t, Document{Name: "a", Title: strings.Repeat("word ", 5000) + "end", Body: long + " after"})
	if found := find(t, ix, "end"); len(found) > 0 {
		t.Error("a title takes more words than its field has room for")
	}
	if found := find(t, ix, "after"); len(found) != 1 {
		t.Error("a long word hides what comes after it")
	}
	for _, word := range ix.words {
		if len(word) > maxWord {
			t.Errorf("a word of %d bytes", len(word))
		}
	}
	b := (&Index{}).Update(nil)
	b.room = 3
	for _, name := range []string{"a", "b"} {
		b.Add(NewText(name, Stamp{Size: 1}, &Document{Name: name, Title: "title", Body: "two words"}))
	}
	ix = b.Index()
	if got := find(t, ix, "words"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("beyond the room, bodies: got %v", got)
	}
	if got := find(t, ix, "title"); len(got) != 2 {
		t.Errorf("beyond the room, titles: got %v", got)
	}
}

func TestCodec(t *testing.T) {
	ix := library(t, Document{Name: "a", Category: "x", Tags: []string{"t"}, Body: "one two one"}, Document{Name: "b", Body: "two"})
	data := string(ix.Encode())
	back, err := Decode(data)
	if err != nil || !reflect.DeepEqual(ix, back) {
		t.Fatalf("got %v, %v; want %v", back, err, ix)
	}
	for i := range len(data) {
		changed := []byte(data)
		changed[i] ^= 1
		if _, err := Decode(string(changed)); err == nil {
			t.Errorf("byte %d of %d was changed and nobody noticed", i, len(data))
		}
		if _, err := Decode(data[:i]); err == nil {
			t.Errorf("cut to %d of %d bytes, and nobody noticed", i, len(data))
		}
	}
}

// FuzzDecode: an index that someone has made up, with the right checksum, is refused or can be searched and updated.
func FuzzDecode(f *testing.F) {
	ix := library(f, Document{Name: "a", Category: "x", Tags: []string{"t"}, Body: "one two one"}, Document{Name: "b", Body: "two"})
	encoded := ix.Encode()
	f.Add(encoded[len(format) : len(encoded)-4])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		w := writer{buf: append([]byte(format), body...)}
		ix, err := Decode(string(w.sealed()))
		if err != nil {
			return
		}
		for _, query := range []string{"o", `"one two"~9`, "NOT one"} {
			find(t, ix, query)
		}
		if b := ix.Update(func(file int) bool { return file%2 == 0 }).Index(); len(b.Files) != (len(ix.Files)+1)/2 {
			t.Errorf("%d of %d files stay", len(b.Files), len(ix.Files))
		}
	})
}
