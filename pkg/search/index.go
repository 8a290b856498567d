package search

import (
	"maps"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Index knows which words stand where in a set of files. It does not change: Update makes a new one.
type Index struct {
	Files []File

	words    []string // sorted
	postings []string // of each word: where it stands (posting.go)
}

// File is one indexed file.
type File struct {
	Path     string // the caller's name for it, unique
	Stamp    Stamp
	Library  bool // not an item: known, so that it need not be read again, and never found
	Category string
	Tags     []string

	lengths [fieldCount]uint32 // in words
}

// Stamp tells whether a file has changed without reading it. The zero Stamp never equals that of a file.
type Stamp struct {
	Size     int64
	Modified int64 // nanoseconds
	Changed  int64 // the same for the file's status, where the system has it; unlike the former nobody can choose it
	Inode    uint64
}

// MaxText bounds the text that one index holds, in bytes. Files beyond it are found by all but their body.
const MaxText = 128 << 20

// typicalWord is how many bytes of text one word stands for.
const typicalWord = 6

// Builder makes a new index from an old one.
type Builder struct {
	index *Index
	lists map[string]*postingWriter
	room  int // words that there is room for
}

// Update begins an index with those files of this one that stay.
func (ix *Index) Update(stays func(file int) bool) *Builder {
	b := &Builder{index: &Index{}, lists: map[string]*postingWriter{}, room: MaxText / typicalWord}
	numbers := make([]int, len(ix.Files)) // where a file comes to be, -1 for nowhere
	for i, f := range ix.Files {
		numbers[i] = -1
		if stays(i) {
			numbers[i] = len(b.index.Files)
			b.index.Files = append(b.index.Files, f)
			b.room -= int(f.lengths[bodyField])
		}
	}
	for i, word := range ix.words {
		w := &postingWriter{}
		for p := range readPostings(ix.postings[i], len(ix.Files)) {
			if numbers[p.file] >= 0 {
				w.add(numbers[p.file], p.positions)
			}
		}
		if len(w.buf) > 0 {
			b.lists[word] = w
		}
	}
	return b
}

// Add takes a file in.
func (b *Builder) Add(t *Text) {
	if b.room < int(t.file.lengths[bodyField]) {
		t.dropBody()
	}
	b.room -= int(t.file.lengths[bodyField])
	number := len(b.index.Files)
	b.index.Files = append(b.index.Files, t.file)
	for word, positions := range t.words {
		w := b.lists[word]
		if w == nil {
			w = &postingWriter{}
			b.lists[strings.Clone(word)] = w // a word must not keep its file's text alive
		}
		w.add(number, positions)
	}
}

// Index ends the work. The Builder cannot be used any more.
func (b *Builder) Index() *Index {
	ix := b.index
	ix.words = slices.Sorted(maps.Keys(b.lists))
	ix.postings = make([]string, len(ix.words))
	for i, word := range ix.words {
		ix.postings[i] = string(b.lists[word].buf)
	}
	return ix
}

// Text is a file made ready to be taken into an index.
type Text struct {
	file  File
	words map[string][]uint32 // where each stands
}

// NewText takes a document's words apart. Without a document the file is a library.
func NewText(path string, stamp Stamp, doc *Document) *Text {
	t := &Text{file: File{Path: path, Stamp: stamp, Library: doc == nil}, words: map[string][]uint32{}}
	if doc == nil {
		return t
	}
	t.file.Category = label(doc.Category)
	for _, tag := range doc.Tags[:min(len(doc.Tags), maxTags)] {
		t.file.Tags = append(t.file.Tags, label(tag))
	}
	for f, text := range [fieldCount]string{
		doc.Name, doc.Title, doc.Description, doc.Category, strings.Join(doc.Tags, " "), doc.Body,
	} {
		t.add(field(f), text)
	}
	return t
}

func (t *Text) add(f field, text string) {
	length := &t.file.lengths[f]
	for _, word := range wordsOf(text) {
		if *length == f.room() {
			return
		}
		t.words[word] = append(t.words[word], f.start()+*length)
		*length++
	}
}

// dropBody leaves what stands in the other fields.
func (t *Text) dropBody() {
	t.file.lengths[bodyField] = 0
	for word, positions := range t.words {
		n, _ := slices.BinarySearch(positions, bodyField.start())
		if n == 0 {
			delete(t.words, word)
			continue
		}
		t.words[word] = positions[:n]
	}
}

// maxTags and maxLabel bound what a file can make every search carry along.
const (
	maxTags  = 64
	maxLabel = 200
)

// label is a category or a tag as filters compare it.
func label(text string) string {
	return strings.ToLower(item.CleanText(strings.Clone(text[:min(len(text), maxLabel)])))
}
