package thread

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// How often a reader that follows looks for more: soon where much comes, rarely where nothing does.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 250 * time.Millisecond
)

// reader is one reading of a log.
type reader struct {
	store   *Store
	id      string
	opts    LogOptions
	give    func(LogChunk) error
	streams []string
	index   *index // nil if there is none, or none yet
	files   map[string]*os.File
	next    map[string]int64 // where each stream goes on
	given   bool             // something came since the last look
}

func (s *Store) newReader(id string, o LogOptions, give func(LogChunk) error) *reader {
	r := &reader{store: s, id: id, opts: o, give: give, streams: outputs, files: map[string]*os.File{}, next: map[string]int64{}}
	if o.Stream != "" {
		r.streams = []string{o.Stream}
	}
	for stream, offset := range o.From {
		r.next[stream] = max(0, offset)
	}
	return r
}

func (r *reader) close() {
	if r.index != nil {
		r.index.file.Close()
	}
	for _, file := range r.files {
		file.Close()
	}
}

// run asks for the end of the thread before it reads: then nothing comes after what it finds.
func (r *reader) run(ctx context.Context) error {
	for pause := firstPause; ; pause = min(pause*5/4, lastPause) {
		ended := !r.opts.Follow
		if !ended {
			t, err := r.store.Get(ctx, r.id)
			if err != nil {
				return err
			}
			ended = t.Status.Terminal() || t.Status == Suspended
		}
		if err := r.look(ctx, ended); err != nil || ended {
			return err
		}
		if r.given {
			pause, r.given = firstPause, false
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// look reads what is there. What the index does not know is waited for as long as the thread goes on.
func (r *reader) look(ctx context.Context, ended bool) error {
	if err := r.open(); err != nil {
		return err
	}
	if r.index != nil {
		for {
			e, ok, err := r.index.next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if err := r.chunk(ctx, e); err != nil {
				return err
			}
		}
	}
	if ended || r.index == nil {
		return r.rest(ctx)
	}
	return nil
}

// open opens the files that are there and not open yet. The index comes first: what has none will have none.
func (r *reader) open() error {
	if r.index == nil && r.opts.Stream != Runner {
		file, err := r.openFile(indexName)
		if err != nil {
			return err
		}
		if file != nil {
			r.index = &index{file: file}
		}
	}
	for _, stream := range r.streams {
		if r.files[stream] != nil {
			continue
		}
		file, err := r.openFile(logName(stream))
		if err != nil {
			return err
		}
		if file != nil {
			r.files[stream] = file
		}
	}
	return nil
}

// openFile returns nil if there is no such file.
func (r *reader) openFile(name string) (*os.File, error) {
	file, err := r.store.openFile(r.id, name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file, err
}

// rest reads what the index does not know: all, if there is none; what was written last, if the runner was killed.
func (r *reader) rest(ctx context.Context) error {
	for _, stream := range r.streams {
		file := r.files[stream]
		if file == nil {
			continue
		}
		info, err := file.Stat()
		if err != nil {
			return err
		}
		if err := r.chunk(ctx, entry{At: info.ModTime().UTC(), Stream: stream, Length: info.Size()}); err != nil {
			return err
		}
	}
	return nil
}

// chunk gives what an entry tells of and did not come yet, and what is missing before it.
func (r *reader) chunk(ctx context.Context, e entry) error {
	if r.files[e.Stream] == nil { // not asked for, or made since the last look
		if err := r.open(); err != nil {
			return err
		}
	}
	file := r.files[e.Stream]
	if file == nil {
		return nil
	}
	end := e.Offset + e.Length
	if end > r.next[e.Stream] && r.opts.Since.After(e.At) {
		return r.skip(file, e.Stream, end)
	}
	for at := r.next[e.Stream]; at < end; at = r.next[e.Stream] {
		if err := ctx.Err(); err != nil {
			return err
		}
		data := make([]byte, min(end-at, chunkLength))
		n, err := file.ReadAt(data, at)
		if n == 0 {
			if err == io.EOF { // the entry tells of more than there is
				return nil
			}
			return err
		}
		r.next[e.Stream], r.given = at+int64(n), true
		if err := r.give(LogChunk{At: e.At, Stream: e.Stream, Offset: at, Data: data[:n]}); err != nil {
			return err
		}
	}
	return nil
}

// skip leaves a chunk out, as far as it is there.
func (r *reader) skip(file *os.File, stream string, end int64) error {
	info, err := file.Stat()
	if err == nil {
		r.next[stream] = max(r.next[stream], min(end, info.Size()))
	}
	return err
}
