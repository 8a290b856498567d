package thread

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// entry is a line of a log's index: where in the file of its stream a chunk is, and when it came.
type entry struct {
	At             time.Time
	Stream         string
	Offset, Length int64
}

func (e entry) line() []byte {
	return fmt.Appendf(nil, "%s %s %d %d\n", e.At.UTC().Format(time.RFC3339Nano), e.Stream, e.Offset, e.Length)
}

// parseEntry reads a line without its end. What is no entry was torn by a crash, or is not ours.
func parseEntry(line string) (e entry, ok bool) {
	fields := strings.Split(line, " ")
	if len(fields) != 4 || !slices.Contains(outputs, fields[1]) {
		return entry{}, false
	}
	at, err1 := time.Parse(time.RFC3339Nano, fields[0])
	offset, err2 := strconv.ParseInt(fields[2], 10, 64)
	length, err3 := strconv.ParseInt(fields[3], 10, 64)
	if errors.Join(err1, err2, err3) != nil || offset < 0 || length < 0 || offset+length < 0 {
		return entry{}, false
	}
	return entry{at, fields[1], offset, length}, true
}

// mostLine is longer than every entry.
const mostLine = 256

// index reads the entries of a file that may still grow.
type index struct {
	file   *os.File
	at     int64  // where the file goes on
	buffer []byte // what was read and is not looked at yet
}

// next returns the next entry, false if there is none yet. Lines that are no entries are skipped.
func (x *index) next() (entry, bool, error) {
	for {
		for line, rest, ended := bytes.Cut(x.buffer, []byte("\n")); ended; line, rest, ended = bytes.Cut(x.buffer, []byte("\n")) {
			x.buffer = rest
			if e, ok := parseEntry(string(line)); ok {
				return e, true, nil
			}
		}
		if len(x.buffer) > mostLine {
			x.buffer = nil
		}
		grown := make([]byte, len(x.buffer)+chunkLength)
		known := copy(grown, x.buffer)
		n, err := x.file.ReadAt(grown[known:], x.at)
		x.at += int64(n)
		x.buffer = grown[:known+n]
		if n == 0 {
			if err == io.EOF {
				err = nil
			}
			return entry{}, false, err
		}
	}
}
