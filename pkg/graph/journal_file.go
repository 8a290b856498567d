package graph

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/ryeos/rye/pkg/filelock"
	"github.com/ryeos/rye/pkg/item"
)

// FileJournal is a Journal in a file. Each line is one write: a header and the records that were appended at the same
// time. What a crash leaves behind an unfinished last line was never acknowledged, and is dropped.
type FileJournal struct {
	path string
	lock *os.File

	mu      sync.Mutex // of pending
	pending *batch

	commit sync.Mutex // of what follows: one write at a time
	file   *os.File
	failed error // the first failure: what is on disk after it is not known
}

// batch is what is written together. Appends that come while another batch is on its way to the disk share the next.
type batch struct {
	records [][]byte
	done    chan struct{} // closed when err says what came of it
	err     error
}

// separator stands between the records of a line; JSON has none inside.
const separator = '\t'

// OpenJournal opens or makes the journal of a run, for one process at a time. Its folder must exist.
func OpenJournal(path string) (*FileJournal, error) {
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the journal's lock: %w", err)
	}
	if err := filelock.Try(lock, true); err != nil {
		lock.Close()
		if filelock.Held(err) {
			return nil, item.Errorf(item.TypeUnavailable, "another process is running this graph: %s is locked", path)
		}
		return nil, fmt.Errorf("locking the journal: %w", err)
	}
	j := &FileJournal{path: path, lock: lock}
	if err := j.open(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// open finds the end of the journal, and cuts off what a crash left behind it.
func (j *FileJournal) open() (err error) {
	if j.file, err = os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	var size int64
	for line, err := range lines(j.file) {
		if err != nil {
			return fmt.Errorf("%s: %w", j.path, err)
		}
		size += int64(len(line))
	}
	if err := j.file.Truncate(size); err != nil {
		return err
	}
	if _, err := j.file.Seek(size, io.SeekStart); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(j.path))
}

// Close gives the journal and its lock back.
func (j *FileJournal) Close() error {
	j.commit.Lock()
	defer j.commit.Unlock()
	if j.failed == nil {
		j.failed = os.ErrClosed
	}
	if j.file == nil {
		return j.lock.Close()
	}
	return errors.Join(j.file.Close(), j.lock.Close())
}

// Append adds a record. The first that comes while another batch is on its way writes for all that come after it; these
// wait for nothing but their batch, so that whoever was first cannot overtake them with a batch of its own.
func (j *FileJournal) Append(record []byte) error {
	j.mu.Lock()
	if b := j.pending; b != nil {
		b.records = append(b.records, record)
		j.mu.Unlock()
		<-b.done
		return b.err
	}
	b := &batch{records: [][]byte{record}, done: make(chan struct{})}
	j.pending = b
	j.mu.Unlock()

	j.commit.Lock()
	defer j.commit.Unlock()
	j.mu.Lock()
	j.pending = nil
	j.mu.Unlock()
	b.err = j.write(b.records)
	close(b.done)
	return b.err
}

// write makes one line durable. It holds commit.
func (j *FileJournal) write(records [][]byte) error {
	if j.failed != nil {
		return j.failed
	}
	_, err := j.file.Write(encodeLine(records))
	if err == nil {
		err = syncData(j.file)
	}
	j.failed = err
	return err
}

// Replace writes a new file and puts it in the place of the old one.
func (j *FileJournal) Replace(record []byte) error {
	j.commit.Lock()
	defer j.commit.Unlock()
	if j.failed != nil {
		return j.failed
	}
	j.failed = j.replace(record)
	return j.failed
}

func (j *FileJournal) replace(record []byte) error {
	if err := writeSynced(j.path+".new", encodeLine([][]byte{record})); err != nil {
		return err
	}
	if err := j.file.Close(); err != nil { // Windows does not replace open files
		return err
	}
	if err := os.Rename(j.path+".new", j.path); err != nil {
		return err
	}
	if err := syncFolder(filepath.Dir(j.path)); err != nil {
		return err
	}
	file, err := os.OpenFile(j.path, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	j.file = file
	_, err = file.Seek(0, io.SeekEnd)
	return err
}

func writeSynced(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Records reads the journal from its start.
func (j *FileJournal) Records() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line, err := range lines(io.NewSectionReader(j.file, 0, 1<<62)) {
			if err != nil {
				yield(nil, err)
				return
			}
			for record := range bytes.SplitSeq(line[headerSize:len(line)-1], []byte{separator}) {
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}

// headerSize is that of a line's checksum and of the length of what follows.
const headerSize = len("00000000 00000000 ")

func header(body []byte) string {
	return fmt.Sprintf("%08x %08x ", crc32.ChecksumIEEE(body), len(body))
}

func encodeLine(records [][]byte) []byte {
	body := bytes.Join(records, []byte{separator})
	return slices.Concat([]byte(header(body)), body, []byte("\n"))
}

// lines gives the whole lines of a journal, with their ends. A line that is not whole is an error, unless it is the
// last: then its write never came to an end.
func lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReader(r)
		for offset := 0; ; {
			line, err := in.ReadBytes('\n')
			if err != nil && err != io.EOF {
				yield(nil, err)
				return
			}
			if err == io.EOF || !isWhole(line) {
				if _, more := in.ReadByte(); more == nil || isLonger(line) {
					yield(nil, item.Errorf(item.TypeIntegrity, "the journal is damaged at byte %d", offset))
				}
				return
			}
			if !yield(line, nil) {
				return
			}
			offset += len(line)
		}
	}
}

func isWhole(line []byte) bool {
	return len(line) > headerSize && string(line[:headerSize]) == header(line[headerSize:len(line)-1])
}

// isLonger tells of a line that it goes on after its end: no unfinished write does, but one whose end was damaged.
func isLonger(line []byte) bool {
	if len(line) < headerSize {
		return false
	}
	size, err := strconv.ParseUint(string(line[len("00000000 "):headerSize-1]), 16, 32)
	return err == nil && uint64(len(line)-headerSize) > size+1
}
