package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

const (
	indexFolder  = ".ai/cache/tools/read/line_index/"
	maxIndexFile = 192 << 20 // bytes; an index of maxLines lines has about half
)

// textFile is a file as it was read. rel is its resolved path.
type textFile struct {
	rel      string
	data     []byte
	lines    []line
	modified time.Time
}

// lineIndex remembers the ids of a file's lines from one call to the next (spec/rye-core §9.1, file-system/read). Unlike
// the seed's, no two lines share an id.
type lineIndex struct {
	FilePath     string        `json:"file_path"`
	ContentHash  string        `json:"content_hash"` // SHA-256 of the file, hex
	LastModified string        `json:"last_modified"`
	Lines        []indexedLine `json:"lines"`
}

type indexedLine struct {
	ID          string `json:"id"`
	LineNum     int    `json:"line_num"`     // from 1
	ContentHash string `json:"content_hash"` // first 16 hex digits of the SHA-256 of the line without its end
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func indexPath(rel string) string { return indexFolder + digest([]byte(rel))[:16] + ".json" }

// loadIndex gives the stored index of a file, or nil if there is none that makes sense: the cache can be rebuilt at any
// time, so a damaged one is the same as a missing one.
func (w *workspace) loadIndex(rel string) *lineIndex {
	place, err := w.resolve(indexPath(rel))
	if err != nil {
		return nil
	}
	data, _, err := w.readFile(place, maxIndexFile)
	if err != nil {
		return nil
	}
	var x lineIndex
	if json.Unmarshal(data, &x) != nil || x.FilePath != rel || !x.sound() {
		return nil
	}
	return &x
}

// sound is whether every line has its number and an id of its own.
func (x *lineIndex) sound() bool {
	seen := make(map[string]bool, len(x.Lines))
	for i, l := range x.Lines {
		if l.ID == "" || l.LineNum != i+1 || seen[l.ID] {
			return false
		}
		seen[l.ID] = true
	}
	return true
}

func (w *workspace) saveIndex(x *lineIndex) error {
	place, err := w.resolve(indexPath(x.FilePath))
	if err != nil {
		return err
	}
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return w.replaceFile(place, data, false) // what a power cut leaves of it is not sound, hence rebuilt
}

// dropIndex forgets a file's ids. It may fail in silence: an index that stays behind does not match the new content.
func (w *workspace) dropIndex(rel string) {
	place, err := w.resolve(indexPath(rel))
	if err == nil && w.checkWritable(place) == nil {
		_ = w.root.Remove(place)
	}
}

// describes is whether the index belongs to exactly this content.
func (x *lineIndex) describes(f *textFile) bool {
	return x != nil && len(x.Lines) == len(f.lines) && x.ContentHash == digest(f.data)
}

// newIndex gives ids to the lines of a file. Lines whose content is in old keep their id; where a content occurs several
// times, its lines are paired in order.
func newIndex(f *textFile, old *lineIndex) *lineIndex {
	lines := make([]indexedLine, len(f.lines))
	for i, l := range f.lines {
		lines[i].ContentHash = digest([]byte(l.text))[:16]
	}
	if old != nil {
		keepIDs(lines, old.Lines)
	}
	return finishIndex(f, lines)
}

// keepIDs pairs first the lines at both ends, so that a change in one place leaves equal lines elsewhere alone.
func keepIDs(lines, old []indexedLine) {
	for len(lines) > 0 && len(old) > 0 && lines[0].ContentHash == old[0].ContentHash {
		lines[0].ID = old[0].ID
		lines, old = lines[1:], old[1:]
	}
	for len(lines) > 0 && len(old) > 0 && lines[len(lines)-1].ContentHash == old[len(old)-1].ContentHash {
		lines[len(lines)-1].ID = old[len(old)-1].ID
		lines, old = lines[:len(lines)-1], old[:len(old)-1]
	}
	ids := map[string][]string{}
	for _, l := range old {
		ids[l.ContentHash] = append(ids[l.ContentHash], l.ID)
	}
	for i, l := range lines {
		if same := ids[l.ContentHash]; len(same) > 0 {
			lines[i].ID = same[0]
			ids[l.ContentHash] = same[1:]
		}
	}
}

// finishIndex numbers the lines and gives an id to each that has none: the first 6 hex digits of SHA-256("N:text"). With
// 24 bits, some thousand lines are enough for two of them to agree; the later one then gets a longer id.
func finishIndex(f *textFile, lines []indexedLine) *lineIndex {
	used := make(map[string]bool, len(lines))
	for _, l := range lines {
		used[l.ID] = true
	}
	for i := range lines {
		lines[i].LineNum = i + 1
		if lines[i].ID != "" {
			continue
		}
		lines[i].ContentHash = digest([]byte(f.lines[i].text))[:16]
		seed := fmt.Sprintf("%d:%s", i+1, f.lines[i].text)
		id := digest([]byte(seed))[:6]
		for n := 1; used[id]; n++ {
			id = digest(fmt.Appendf(nil, "%s#%d", seed, n))[:min(6+n, sha256.Size*2)]
		}
		used[id] = true
		lines[i].ID = id
	}
	return &lineIndex{
		FilePath:     f.rel,
		ContentHash:  digest(f.data),
		LastModified: f.modified.UTC().Format(time.RFC3339Nano),
		Lines:        lines,
	}
}
