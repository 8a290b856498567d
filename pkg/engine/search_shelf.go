package engine

import (
	"slices"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/search"
	"github.com/ryeos/rye/pkg/space"
)

// shelf is an index and the files that it is of.
type shelf struct {
	index      *search.Index
	volumes    map[string]*volume // by the path that the index knows
	unreadable int
}

// volume is a file of a shelf as it is now.
type volume struct {
	space.Entry
	path    string
	stamp   search.Stamp
	indexed bool
}

// entry is nil for a file that the index has and the disk has not.
func (s *shelf) entry(file int) *space.Entry {
	if v := s.volumes[s.index.Files[file].Path]; v != nil {
		return &v.Entry
	}
	return nil
}

// openShelf lists the items of every space and brings the index up to date.
func (e *Engine) openShelf() (*shelf, error) {
	s := &shelf{volumes: map[string]*volume{}}
	var reading sync.WaitGroup
	reading.Go(func() { s.index = e.loadIndex() })
	var all []*volume
	for _, kind := range item.Kinds() {
		entries, err := e.spaces.List(kind)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Rel, keyDocuments) {
				continue
			}
			v := &volume{Entry: entry, path: string(entry.Space.Label) + ":" + entry.Rel, stamp: stampOf(entry)}
			s.volumes[v.path] = v
			all = append(all, v)
		}
	}
	reading.Wait()
	stays := make([]bool, len(s.index.Files))
	for i, f := range s.index.Files {
		v := s.volumes[f.Path]
		if v != nil && !v.indexed && v.stamp == f.Stamp && f.Stamp != (search.Stamp{}) {
			stays[i], v.indexed = true, true
		}
	}
	all = slices.DeleteFunc(all, func(v *volume) bool { return v.indexed })
	e.reindex(s, all, stays)
	return s, nil
}

// reindex replaces the files of the index that do not stay by volumes. When there is nothing to do, nothing is done: a
// file that cannot be read is tried each time.
func (e *Engine) reindex(s *shelf, volumes []*volume, stays []bool) {
	begin := sync.OnceValue(func() *search.Builder {
		return s.index.Update(func(file int) bool { return stays[file] })
	})
	changed := slices.Contains(stays, false)
	var mu sync.Mutex
	forEach(len(volumes), nil, func(i int) {
		text := e.readVolume(volumes[i])
		mu.Lock()
		defer mu.Unlock()
		if text == nil {
			s.unreadable++
			return
		}
		begin().Add(text)
		changed = true
	})
	if changed {
		s.index = begin().Index()
		e.saveIndex(s.index)
	}
}

// readVolume is nil for a file that cannot be read. A file that has just changed may change again without its times
// telling, so its stamp is not kept.
func (e *Engine) readVolume(v *volume) *search.Text {
	head, err := v.Space.ReadHead(v.Rel, search.HeadSize)
	if err != nil {
		return nil
	}
	stamp := v.stamp
	if e.options.Now().UnixNano()-max(stamp.Modified, stamp.Changed) < int64(clockTick) {
		stamp = search.Stamp{}
	}
	doc, isItem := search.Read(v.Ref, v.Rel, head)
	if !isItem {
		return search.NewText(v.path, stamp, nil)
	}
	return search.NewText(v.path, stamp, &doc)
}
