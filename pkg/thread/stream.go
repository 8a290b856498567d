package thread

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// chunkLength is how long a line may become before a part of it is written, and the most that a reader gets at once.
	chunkLength = 64 << 10
	// secretLength is that of the longest secret, as it stands in the output, that is found in a line of any length.
	secretLength = 4 << 10
	// mostHeld bounds what is held back of a line that is full of secrets.
	mostHeld = 1 << 20
	// lineTime is how long the end of a line is waited for.
	lineTime = 200 * time.Millisecond
)

// Cleaner takes secrets out of text.
type Cleaner interface {
	// Text is the text without secrets.
	Text(text string) string
	// Started is how many bytes at the end of the text may be the start of a secret whose rest is still to come.
	Started(text string) int
}

// stream is one of the two streams of a log. Secrets are taken out before anything is written, and a secret may come in
// pieces, so text is held back until its line has ended, and longer if what a secret begins with stands at its end. Of a
// line that does not end, the part before the last word is written after a while, and all but the last secretLength bytes
// once it is long. So a secret reaches the disk only if it is encoded, has white space and the writer paused in it, or if it
// is longer than secretLength, in a line longer than chunkLength.
type stream struct {
	log   *Log
	name  string
	clean Cleaner // nil: nothing is held back

	file        logFile // with the rest of this group, guarded by log.mu
	size, limit int64
	full        bool

	mu     sync.Mutex // of what follows; two writes of one stream do not mix
	held   []byte
	most   int         // how long held becomes before a part of a line is written
	timer  *time.Timer // runs while an unfinished line waits
	closed bool
}

// Write never fails: the run is worth more than its log.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return 0, os.ErrClosed
	case s.clean == nil:
		s.log.add(s, p)
		return len(p), nil
	}
	for rest := p; len(rest) > 0; {
		n := min(len(rest), chunkLength)
		s.hold(rest[:n])
		rest = rest[n:]
	}
	if len(s.held) > 0 && s.timer == nil {
		s.timer = time.AfterFunc(lineTime, s.lineIsLate)
	}
	return len(p), nil
}

// hold takes more text, and writes the lines that end in it, all at once: a secret may have several. What is left may be
// too long to wait.
func (s *stream) hold(part []byte) {
	s.held = append(s.held, part...)
	if end := bytes.LastIndexByte(part, '\n') + 1; end > 0 {
		s.release(len(s.held) - len(part) + end)
	}
	if len(s.held) < s.most || s.cut(len(s.held)-secretLength) {
		return
	}
	if s.most += chunkLength; s.most > mostHeld {
		s.flush(len(s.held))
	}
}

// lineIsLate writes the words of a line that does not end, but not the last one, which may go on.
func (s *stream) lineIsLate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = nil
	at := min(bytes.LastIndexAny(s.held, " \t\r\n")+1, len(s.held)-s.clean.Started(string(s.held)))
	if at > 0 && !s.closed {
		s.cut(at)
	}
}

// release writes the first n bytes, which are whole lines, but neither the start of a secret that is still to come nor a
// part of one that goes on in the line behind them.
func (s *stream) release(n int) {
	n = min(n, len(s.held)-s.clean.Started(string(s.held)))
	before, behind := s.clean.Text(string(s.held[:n])), s.clean.Text(string(s.held[n:]))
	if behind == "" || before+behind == s.clean.Text(string(s.held)) {
		s.write(before, n)
	}
}

// cut writes what is before a place. It does not if a secret reaches over that place or stands behind it,
// where only its start may have come yet: then what is behind does not stay as it is when the whole is cleaned.
func (s *stream) cut(at int) bool {
	cleaned := s.clean.Text(string(s.held))
	before, same := strings.CutSuffix(cleaned, string(s.held[at:]))
	if same {
		s.write(before, at)
	}
	return same
}

// flush writes the first n held bytes, cleaned.
func (s *stream) flush(n int) { s.write(s.clean.Text(string(s.held[:n])), n) }

// write writes what the first n held bytes have become.
func (s *stream) write(cleaned string, n int) {
	s.log.add(s, []byte(cleaned))
	s.held = append(s.held[:0], s.held[n:]...)
	s.most = chunkLength
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	if len(s.held) > 0 {
		s.flush(len(s.held))
	}
	s.closed = true
}
