package thread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// replacing is a Cleaner that knows nothing of beginnings.
type replacing func(string) string

func (r replacing) Text(text string) string { return r(text) }
func (r replacing) Started(string) int      { return 0 }

// knowing is a Cleaner of one secret.
type knowing string

func (k knowing) Text(text string) string { return strings.ReplaceAll(text, string(k), "[redacted]") }

func (k knowing) Started(text string) int {
	for n := min(len(text), len(k)-1); n > 0; n-- {
		if strings.HasSuffix(text, string(k[:n])) {
			return n
		}
	}
	return 0
}

func createLog(t testing.TB, s *Store, id string, clean func(string) string, limit int64) *Log {
	t.Helper()
	var cleaner Cleaner
	if clean != nil {
		cleaner = replacing(clean)
	}
	log, err := s.CreateLog(id, cleaner, limit)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func closeLog(t testing.TB, log *Log) {
	t.Helper()
	if err := errors.Join(log.Close(), log.Err()); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, w io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(w, text); n != len(text) || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
}

// readAll reads a log and checks what is true of all readings: chunks are short, and each goes on where its stream was.
func readAll(t testing.TB, s *Store, id string, o LogOptions) (chunks []LogChunk) {
	t.Helper()
	next := map[string]int64{}
	for c, err := range s.ReadLog(t.Context(), id, o) {
		if err != nil {
			t.Fatal(err)
		}
		if at, known := next[c.Stream]; len(c.Data) == 0 || len(c.Data) > chunkLength || known && at != c.Offset {
			t.Fatalf("%d bytes of %s at %d, after %d", len(c.Data), c.Stream, c.Offset, at)
		}
		next[c.Stream] = c.Offset + int64(len(c.Data))
		chunks = append(chunks, c)
	}
	return chunks
}

// text is what the chunks say together, of one stream or of all.
func text(chunks []LogChunk, stream string) string {
	var all bytes.Buffer
	for _, c := range chunks {
		if stream == "" || c.Stream == stream {
			all.Write(c.Data)
		}
	}
	return all.String()
}

func logFileText(t testing.TB, s *Store, id, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.Dir(id), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLogRoundTrip: whatever is written in whatever pieces, from two goroutines, is read.
func TestLogRoundTrip(t *testing.T) {
	s := open(t, t.TempDir())
	for name, clean := range map[string]func(string) string{"no secrets": nil, "none found": strings.Clone} {
		for seed := range uint64(12) {
			id := register(t, s, New{}).ID
			log := createLog(t, s, id, clean, 0)
			var writers sync.WaitGroup
			want := map[string]string{}
			for i, w := range []io.Writer{log.Stdout(), log.Stderr()} {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				data := make([]byte, random.IntN(300_000))
				for at := range data { // the more often seeds have newlines, the shorter the lines
					if data[at] = byte(random.Uint32()); random.Uint64N(100) < seed%4*2 {
						data[at] = '\n'
					}
				}
				want[outputs[i]] = string(data)
				writers.Go(func() {
					for rest := data; len(rest) > 0; {
						n := min(len(rest), 1+random.IntN(1<<random.IntN(18)))
						w.Write(rest[:n])
						rest = rest[n:]
					}
				})
			}
			writers.Wait()
			closeLog(t, log)
			chunks := readAll(t, s, id, LogOptions{})
			for stream, data := range want {
				if text(chunks, stream) != data || logFileText(t, s, id, logName(stream)) != data {
					t.Fatalf("%s, seed %d: %s differs", name, seed, stream)
				}
			}
		}
	}
}

// TestLogOrder: streams are read as they came, each chunk with its time, and bytes are there as soon as they were written.
func TestLogOrder(t *testing.T) {
	clock := newClock()
	s := openAt(t, t.TempDir(), clock.Now)
	id := register(t, s, New{}).ID
	log := createLog(t, s, id, nil, 0)
	defer log.Close()
	for i := range 6 {
		w := log.Stdout()
		if i%3 == 0 {
			w = log.Stderr()
		}
		write(t, w, fmt.Sprintf("%d-", i))
		clock.advance(time.Second)
	}
	chunks := readAll(t, s, id, LogOptions{})
	if got := text(chunks, ""); got != "0-1-2-3-4-5-" {
		t.Errorf("read %q", got)
	}
	if last := chunks[5]; !last.At.Equal(newClock().Now().Add(5*time.Second)) || last.Stream != Stdout || last.Offset != 6 {
		t.Errorf("the last chunk: %+v", last)
	}
	for name, test := range map[string]struct {
		o    LogOptions
		want string
	}{
		"stream":           {LogOptions{Stream: Stderr}, "0-3-"},
		"since":            {LogOptions{Since: chunks[4].At}, "4-5-"},
		"from":             {LogOptions{From: map[string]int64{Stdout: 3, Stderr: 2}}, "-3-4-5-"},
		"from one":         {LogOptions{From: map[string]int64{Stdout: 8}}, "0-3-"},
		"from far":         {LogOptions{From: map[string]int64{Stdout: 1 << 40, Stderr: -1}}, "0-3-"},
		"since and stream": {LogOptions{Since: chunks[2].At, Stream: Stderr}, "3-"},
		"runner":           {LogOptions{Stream: Runner}, ""},
	} {
		if got := text(readAll(t, s, id, test.o), ""); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	for _, err := range s.ReadLog(t.Context(), id, LogOptions{Stream: "stdin"}) {
		if item.TypeOf(err) != item.TypeUsage {
			t.Errorf("an unknown stream: %v", err)
		}
	}
	for _, err := range s.ReadLog(t.Context(), "none", LogOptions{}) {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("an unknown thread: %v", err)
		}
	}
}

// TestLogTail compares with the last lines of the whole.
func TestLogTail(t *testing.T) {
	s := open(t, t.TempDir())
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 0))
		id := register(t, s, New{}).ID
		log := createLog(t, s, id, nil, 0)
		for range random.IntN(40) {
			w := []io.Writer{log.Stdout(), log.Stderr()}[random.IntN(2)]
			write(t, w, strings.Repeat("x", random.IntN(1<<random.IntN(17)))+strings.Repeat("\n", random.IntN(3)))
		}
		closeLog(t, log)
		for _, stream := range []string{"", Stdout} {
			lines := strings.SplitAfter(text(readAll(t, s, id, LogOptions{Stream: stream}), ""), "\n")
			if last := len(lines) - 1; lines[last] == "" {
				lines = lines[:last]
			}
			for _, n := range []int{1, 2, 5, math.MaxInt} {
				want := strings.Join(lines[max(0, len(lines)-n):], "")
				if got := text(readAll(t, s, id, LogOptions{Tail: n, Stream: stream}), ""); got != want {
					t.Fatalf("seed %d, last %d lines of %q: %d bytes, want %d", seed, n, stream, len(got), len(want))
				}
			}
		}
	}
}

// TestLogLimit: what is over the limit is dropped, and the log says so once, also when it is opened again.
func TestLogLimit(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	for range 2 {
		log := createLog(t, s, id, nil, 10)
		write(t, log.Stdout(), "123456")
		write(t, log.Stdout(), "789abc")
		write(t, log.Stdout(), "def")
		write(t, log.Stderr(), "short")
		closeLog(t, log)
	}
	chunks := readAll(t, s, id, LogOptions{})
	if got := text(chunks, Stdout); got != "123456789a\n[rye: the log of stdout ends here: its limit is 10 bytes]\n" {
		t.Errorf("stdout: %q", got)
	}
	if got := text(chunks, Stderr); got != "shortshort" {
		t.Errorf("stderr: %q", got)
	}
	if got := text(chunks, ""); got[len(got)-5:] != "short" {
		t.Errorf("the end of one stream is not where it came: %q", got)
	}
}

// TestLogIndexIsBounded: a run that writes single bytes does not fill the disk with their index.
func TestLogIndexIsBounded(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	log := createLog(t, s, id, nil, 100_000)
	for range 100_000 {
		write(t, log.Stdout(), ".")
	}
	closeLog(t, log)
	if n := len(logFileText(t, s, id, indexName)); n > 2*leastIndexLimit+1000 {
		t.Errorf("the index has %d bytes", n)
	}
	if got := logFileText(t, s, id, "stdout.log"); !strings.HasSuffix(got, "bytes]\n") {
		t.Errorf("the log does not say that it ends: %d bytes", len(got))
	}
}

// fullFile fails after some bytes, as a full disk does: what fits is written. It may not even be cut.
type fullFile struct {
	logFile
	room  int
	stuck bool
}

var errFull = errors.New("no space left on device")

func (f *fullFile) Write(p []byte) (int, error) {
	n, err := f.logFile.Write(p[:min(f.room, len(p))])
	if f.room -= n; n < len(p) && err == nil {
		err = errFull
	}
	return n, err
}

func (f *fullFile) Truncate(size int64) error {
	if f.stuck {
		return errFull
	}
	return f.logFile.Truncate(size)
}

// TestLogOnFullDisk: wherever the disk is full, the run does not notice, what is read is what came first, and room that
// comes back is not used: a log with a hole would be worse than a short one.
func TestLogOnFullDisk(t *testing.T) {
	s := open(t, t.TempDir())
	chunks := []string{"one\n", "two\n", "three\n", "four\n"}
	whole := strings.Join(chunks, "")
	for room := range len(whole) - len(chunks[3]) {
		for _, where := range []string{"stdout", "index", "both stuck"} {
			id := register(t, s, New{}).ID
			log := createLog(t, s, id, nil, 0)
			full := &fullFile{stuck: where == "both stuck"}
			if where == "index" {
				full.logFile, full.room = log.index, room*12
				log.index = full
			} else {
				full.logFile, full.room = log.stdout.file, room
				log.stdout.file = full
			}
			for i, c := range chunks {
				if i == 3 {
					full.room = 1000
				}
				write(t, log.Stdout(), c)
			}
			write(t, log.Stderr(), "and more")
			if err := log.Err(); !errors.Is(err, errFull) && (where != "index" || log.stdout.size < int64(len(whole))) {
				t.Fatalf("%s, room for %d: %v", where, room, err)
			}
			log.Close()
			got := text(readAll(t, s, id, LogOptions{}), Stdout)
			if !strings.HasPrefix(whole, got) || !full.stuck && log.Err() != nil && got != "" && !strings.HasSuffix(got, "\n") {
				t.Fatalf("%s, room for %d: %q", where, room, got)
			}
			if log.Err() != nil && logFileText(t, s, id, "stderr.log") != "" {
				t.Fatalf("%s, room for %d: written after the end", where, room)
			}
		}
	}
}

// TestLogGoesOn: a suspended thread's next runner appends, whatever the one before has left unfinished.
func TestLogGoesOn(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	log := createLog(t, s, id, nil, 0)
	write(t, log.Stdout(), "one ")
	closeLog(t, log)
	appendTo := func(name, text string) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(s.Dir(id), name), os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	appendTo("stdout.log", "two ")
	appendTo(indexName, "2026-03-01T12:00:00Z stdout 4")
	if got := text(readAll(t, s, id, LogOptions{}), ""); got != "one two " {
		t.Errorf("after a crash: %q", got)
	}
	log = createLog(t, s, id, nil, 0)
	write(t, log.Stderr(), "three ")
	write(t, log.Stdout(), "four")
	closeLog(t, log)
	if got := text(readAll(t, s, id, LogOptions{}), ""); got != "one three two four" {
		t.Errorf("after the next runner: %q", got)
	}
}

// FuzzReadLog: whatever the index says, each byte of the files comes once and in its place.
func FuzzReadLog(f *testing.F) {
	s := &Store{dir: f.TempDir()} // without a database, whose code the fuzzer would explore
	const id = "x"
	if err := os.Mkdir(s.Dir(id), 0o700); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", "\n", "2026-03-01T12:00:00Z stdout 0 5\n", "2026-03-01T12:00:00Z stdout 0 9223372036854775807\n",
		"2026-03-01T12:00:00Z stderr 3 2\n2026-03-01T12:00:00Z stderr 0 2\n2026-03-01T12:00:00Z stdout 1 1\n2026-03-01T12:00:00Z stdo",
		"2026-03-01T12:00:00Z stdout 9223372036854775807 1\n", strings.Repeat("x", 70_000) + " stdout 0 1\n", "x stdout -1 -1\n",
	} {
		f.Add([]byte(seed), "some\nout", "error\n\xff")
	}
	f.Fuzz(func(t *testing.T, index []byte, out, failure string) {
		for name, data := range map[string][]byte{indexName: index, "stdout.log": []byte(out), "stderr.log": []byte(failure)} {
			if err := os.WriteFile(filepath.Join(s.Dir(id), name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var chunks []LogChunk
		r := s.newReader(id, LogOptions{}, func(c LogChunk) error { chunks = append(chunks, c); return nil })
		defer r.close()
		if err := r.look(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if text(chunks, Stdout) != out || text(chunks, Stderr) != failure {
			t.Errorf("stdout %q, stderr %q", text(chunks, Stdout), text(chunks, Stderr))
		}
	})
}

// TestLogWithoutIndex: raw files are read, one after the other.
func TestLogWithoutIndex(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	if got := readAll(t, s, id, LogOptions{Tail: 3}); len(got) > 0 {
		t.Errorf("a log that is not there: %v", got)
	}
	long := strings.Repeat("0123456789\n", 100_000)
	for name, data := range map[string]string{"stdout.log": long, "stderr.log": "errors\n", "runner.log": "the runner\n"} {
		if err := os.WriteFile(filepath.Join(s.Dir(id), name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := text(readAll(t, s, id, LogOptions{}), ""); got != long+"errors\n" {
		t.Errorf("%d bytes", len(got))
	}
	if got := text(readAll(t, s, id, LogOptions{Tail: 2}), ""); got != "0123456789\nerrors\n" {
		t.Errorf("the tail: %q", got)
	}
	if got := text(readAll(t, s, id, LogOptions{Stream: Runner, Tail: 5}), ""); got != "the runner\n" {
		t.Errorf("the runner's: %q", got)
	}
	for range s.ReadLog(t.Context(), id, LogOptions{}) {
		break // must not be called again
	}
}

// follow reads in the background until the log ends; done gives the text and the error.
func follow(ctx context.Context, s *Store, id string) (seen func() string, done chan error) {
	var mu sync.Mutex
	var all bytes.Buffer
	done = make(chan error, 1)
	go func() {
		var last error
		for c, err := range s.ReadLog(ctx, id, LogOptions{Follow: true}) {
			mu.Lock()
			all.Write(c.Data)
			last = err
			mu.Unlock()
		}
		done <- last
	}()
	return func() string { mu.Lock(); defer mu.Unlock(); return all.String() }, done
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

func TestFollowEndsWithTheThread(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	seen, done := follow(t.Context(), s, id) // before there is a log
	lock := begin(t, s, id)
	log := createLog(t, s, id, nil, 0)
	write(t, log.Stdout(), "first\n")
	waitFor(t, "the first line", func() bool { return seen() == "first\n" })
	write(t, log.Stderr(), "last")
	closeLog(t, log)
	finish(t, s, id)
	lock.Release()
	if err := <-done; err != nil || seen() != "first\nlast" {
		t.Errorf("%q, %v", seen(), err)
	}
}

// TestFollowOpensWhatIsNew: the index tells of a stream whose file was not there yet when the reader looked for it.
func TestFollowOpensWhatIsNew(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	begin(t, s, id)
	var got []byte
	r := s.newReader(id, LogOptions{}, func(c LogChunk) error {
		got = append(got, c.Data...)
		return nil
	})
	defer r.close()
	log := createLog(t, s, id, nil, 0)
	write(t, log.Stdout(), "first\n")
	closeLog(t, log)
	if err := r.chunk(t.Context(), entry{Stream: Stdout, Length: 6}); err != nil || string(got) != "first\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFollowEndsWithTheContext(t *testing.T) {
	s := open(t, t.TempDir())
	id := register(t, s, New{}).ID
	begin(t, s, id)
	ctx, cancel := context.WithCancel(t.Context())
	_, done := follow(ctx, s, id)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || item.TypeOf(err) != item.TypeInterrupted {
		t.Errorf("%v", err)
	}
}

func init() {
	// log: runs the thread and writes numbered lines to both streams until it is killed.
	helpers["log"] = func(dir string, args []string) error {
		return withThread(dir, args[0], func(s *Store, id string) error {
			log, err := s.CreateLog(id, replacing(strings.Clone), 0)
			if err != nil {
				return err
			}
			for i := 0; ; i++ {
				fmt.Fprintf([]io.Writer{log.Stdout(), log.Stderr()}[i%2], "line %d\n", i)
			}
		})
	}
}

// TestLogOfKilledRunner: at the end of the reading stands what reached the files, in order and without a gap, and the
// reader who follows is told that it ended.
func TestLogOfKilledRunner(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for range 3 {
		id := register(t, s, New{}).ID
		cmd := helper(t, "log", dir, id)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		seen, done := follow(t.Context(), s, id)
		waitFor(t, "a line", func() bool { return len(seen()) > 10_000 })
		cmd.Process.Kill()
		cmd.Wait()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, id); got.Status != Lost {
			t.Errorf("the thread is %s", got.Status)
		}
		lines := strings.Split(seen(), "\n")
		for i, line := range lines[:len(lines)-1] {
			if line != fmt.Sprintf("line %d", i) {
				t.Fatalf("line %d is %q", i, line)
			}
		}
		if got := text(readAll(t, s, id, LogOptions{}), ""); got != seen() {
			t.Errorf("read again, the log differs: %d and %d bytes", len(got), len(seen()))
		}
	}
}

// TestLogFolderIsNotTrusted: files that stand in the way of the log are refused, and what they lead to stays as it is.
func TestLogFolderIsNotTrusted(t *testing.T) {
	s := open(t, t.TempDir())
	target := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	plants := map[string]func(path string) error{
		"link":          func(path string) error { return os.Symlink(target, path) },
		"dangling link": func(path string) error { return os.Symlink(target+"-new", path) },
		"folder":        func(path string) error { return os.Mkdir(path, 0o700) },
		"hard link":     func(path string) error { return os.Link(target, path) },
	}
	for _, file := range []string{"stdout.log", "stderr.log", indexName} {
		for _, kind := range slices.Sorted(maps.Keys(plants)) {
			id := register(t, s, New{}).ID
			if err := plants[kind](filepath.Join(s.Dir(id), file)); err != nil {
				t.Fatal(err)
			}
			if log, err := s.CreateLog(id, nil, 0); item.TypeOf(err) != item.TypePermission || len(item.HintsOf(err)) == 0 {
				t.Errorf("%s as %s: %v, %v", kind, file, log, err)
			}
			for c, err := range s.ReadLog(t.Context(), id, LogOptions{}) {
				if kind != "hard link" && (err == nil || bytes.Contains(c.Data, []byte("precious"))) {
					t.Errorf("%s as %s is read: %q", kind, file, c.Data)
				}
			}
		}
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "precious" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Lstat(target + "-new"); err == nil {
		t.Error("a file was made behind a link")
	}
}
