package thread

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// The streams of a run. Each has a file of its own, and the index says in which order the chunks of the first two came, and
// when. What the runner has to say itself is apart from them.
const (
	Stdout = "stdout"
	Stderr = "stderr"
	Runner = "runner"

	indexName = "output.index"
)

var outputs = []string{Stdout, Stderr}

func logName(stream string) string { return stream + ".log" }

const (
	defaultLogLimit = 1 << 30
	leastIndexLimit = 1 << 20 // the index of a small log may be longer than the log
)

// Log takes down what the run of a thread writes. It is there for the run, not the other way round: when it cannot grow
// it ends, and the run goes on.
type Log struct {
	stdout, stderr *stream
	now            func() time.Time

	mu         sync.Mutex // of what follows, and of the files of the streams; taken after a stream's own
	index      logFile
	indexSize  int64
	indexLimit int64
	err        error
}

// logFile is what a log needs of *os.File. Tests have files that fail.
type logFile interface {
	io.WriteCloser
	Truncate(size int64) error
}

// CreateLog makes the log of a thread, or goes on with it if the thread was suspended. clean knows the secrets; nil
// if there are none. limit is how many bytes are kept of each stream, 1 GiB if 0.
func (s *Store) CreateLog(id string, clean Cleaner, limit int64) (*Log, error) {
	if err := validateID(id); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = defaultLogLimit
	}
	l := &Log{now: s.now, indexLimit: 2 * max(limit, leastIndexLimit)}
	err := l.open(s, id, clean, limit)
	if err == nil {
		return l, nil
	}
	l.closeFiles()
	if _, known := errors.AsType[*item.Error](err); !known {
		err = item.Errorf(item.TypeUnavailable, "cannot make the log of thread %s: %w", id, err)
	}
	return nil, err
}

// open begins with the index: a log without one is taken for an old one by readers.
func (l *Log) open(s *Store, id string, clean Cleaner, limit int64) error {
	file, size, err := s.appendFile(id, indexName)
	if err != nil {
		return err
	}
	l.index, l.indexSize = file, size
	if err := l.endLine(file); err != nil {
		return err
	}
	for _, name := range outputs {
		file, size, err := s.appendFile(id, logName(name))
		if err != nil {
			return err
		}
		stream := &stream{log: l, name: name, clean: clean, file: file, size: size, limit: limit, full: size > limit, most: chunkLength}
		if name == Stdout {
			l.stdout = stream
		} else {
			l.stderr = stream
		}
	}
	return nil
}

// endLine ends the line that a runner which was killed left unfinished in the index.
func (l *Log) endLine(index *os.File) error {
	if l.indexSize == 0 {
		return nil
	}
	var last [1]byte
	if _, err := index.ReadAt(last[:], l.indexSize-1); err != nil || last[0] == '\n' {
		return err
	}
	n, err := index.WriteString("\n")
	l.indexSize += int64(n)
	return err
}

// Stdout takes what the run writes to its standard output. Writing never fails before Close.
func (l *Log) Stdout() io.Writer { return l.stdout }

// Stderr takes what the run writes to its standard error.
func (l *Log) Stderr() io.Writer { return l.stderr }

// Err is why the log ended before the run did, nil if it did not.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close writes what was held back and closes the files. It belongs before Finish: readers take the log of a thread that is
// at its end for complete.
func (l *Log) Close() error {
	l.stdout.close()
	l.stderr.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closeFiles()
}

func (l *Log) closeFiles() error {
	var failures []error
	if l.index != nil {
		failures = append(failures, l.index.Close())
	}
	for _, s := range []*stream{l.stdout, l.stderr} {
		if s != nil {
			failures = append(failures, s.file.Close())
		}
	}
	return errors.Join(failures...)
}

// add adds a chunk to the file of a stream, as far as the limit allows, and says so in the log once it does not.
func (l *Log) add(s *stream, data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.full {
		return
	}
	room := s.limit - s.size
	if l.indexSize > l.indexLimit {
		room = 0
	}
	if int64(len(data)) <= room {
		l.put(s, data)
		return
	}
	s.full = true
	l.put(s, data[:room])
	l.put(s, fmt.Appendf(nil, "\n[rye: the log of %s ends here: its limit is %d bytes]\n", s.name, s.limit))
}

// put writes a chunk and then its line in the index, so that the index never tells of what is not there. If either fails,
// neither was written, and nothing will be.
func (l *Log) put(s *stream, data []byte) {
	if l.err != nil || len(data) == 0 {
		return
	}
	line := entry{At: l.now(), Stream: s.name, Offset: s.size, Length: int64(len(data))}.line()
	_, err := s.file.Write(data)
	if err == nil {
		_, err = l.index.Write(line)
	}
	if err != nil {
		l.err = fmt.Errorf("the log of %s ends at byte %d: %w", s.name, s.size, err)
		s.file.Truncate(s.size) // may fail as well; readers can do with half a chunk and with half a line
		l.index.Truncate(l.indexSize)
		return
	}
	s.size += int64(len(data))
	l.indexSize += int64(len(line))
}
