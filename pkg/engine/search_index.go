package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/owner"
	"github.com/ryeos/rye/pkg/search"
	"github.com/ryeos/rye/pkg/space"
)

// clockTick is longer than any file system takes to give a second change of a file another time.
const clockTick = 2 * time.Second

// maxIndexSize bounds the file that an index is read from.
const maxIndexSize = 2 * search.MaxText

// indexDir is where the cache folder keeps search indexes, one for each pair of a project and a user.
const indexDir = "search"

func (e *Engine) indexName() string {
	digest := sha256.Sum256([]byte(e.options.Project + "\x00" + e.options.User))
	return hex.EncodeToString(digest[:16]) + ".index"
}

// loadIndex gives an empty index when there is none that can be used. Losing one costs time and nothing else.
func (e *Engine) loadIndex() *search.Index {
	file := filepath.Join(e.options.Cache, indexDir, e.indexName())
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndexSize || owner.Exposed(info).Reason != "" {
		return &search.Index{}
	}
	f, err := os.Open(file)
	if err != nil {
		return &search.Index{}
	}
	defer f.Close()
	var text strings.Builder // which, unlike bytes, becomes a string without being copied
	text.Grow(int(info.Size()))
	if _, err := io.CopyBuffer(&text, io.LimitReader(f, info.Size()), make([]byte, 64<<10)); err != nil {
		return &search.Index{}
	}
	index, err := search.Decode(text.String())
	if err != nil {
		return &search.Index{}
	}
	return index
}

// saveIndex replaces the index whole. When two searches do so at once, one of them wins; when it cannot be done, the next
// search is as slow as this one.
func (e *Engine) saveIndex(index *search.Index) {
	data := index.Encode()
	dir := filepath.Join(e.options.Cache, indexDir)
	if len(data) <= maxIndexSize && os.MkdirAll(dir, 0o700) == nil {
		_ = space.WriteFile(dir, e.indexName(), data)
	}
}

// stampOf tells the state of a file. The files in the binary have no times: theirs is a digest.
func stampOf(entry space.Entry) search.Stamp {
	info, err := entry.Info()
	if err != nil {
		return search.Stamp{}
	}
	if entry.Space.Base == "" {
		return search.Stamp{Size: info.Size(), Inode: digestOf(entry)}
	}
	changed, inode := statusOf(info)
	return search.Stamp{Size: info.Size(), Modified: info.ModTime().UnixNano(), Changed: changed, Inode: inode}
}

func digestOf(entry space.Entry) uint64 {
	fsys, err := entry.Space.FS()
	if err != nil {
		return 0
	}
	data, err := fs.ReadFile(fsys, entry.Rel)
	if err != nil {
		return 0
	}
	digest := fnv.New64a()
	digest.Write(data)
	return digest.Sum64()
}
