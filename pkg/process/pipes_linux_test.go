package process

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestStdin(t *testing.T) {
	t.Parallel()
	input := make([]byte, 12<<20)
	rand.Read(input)
	t.Run("echo", func(t *testing.T) {
		spec := shell("exec cat")
		spec.Stdin, spec.Limit = input, 16<<20
		if res := run(t, spec); !bytes.Equal(res.Stdout.Bytes(), input) || res.Stdout.Truncated() {
			t.Errorf("got %d of %d bytes", res.Stdout.Total, len(input))
		}
	})
	for name, script := range map[string]string{"ignored": "exit 3", "closed early": "head -c 10 >/dev/null; exec <&-; exit 3"} {
		t.Run(name, func(t *testing.T) {
			spec := shell(script)
			spec.Stdin = input
			if res := run(t, spec); res.ExitCode != 3 || res.Cancelled != nil {
				t.Errorf("%+v", res)
			}
		})
	}
}

// TestInput talks with a program: what it is told next depends on what it has said.
func TestInput(t *testing.T) {
	t.Parallel()
	input, ours := io.Pipe()
	spec := shell("while read line; do echo got $line; done; echo end")
	spec.Input = input
	spec.Stdout = writerFunc(func(p []byte) (int, error) {
		switch {
		case bytes.Contains(p, []byte("got one")):
			go io.WriteString(ours, "two\n")
		case bytes.Contains(p, []byte("got two")):
			go ours.Close()
		}
		return len(p), nil
	})
	go io.WriteString(ours, "one\n")
	if res := run(t, spec); res.Stdout.String() != "got one\ngot two\nend\n" {
		t.Errorf("%q, %+v", res.Stdout.String(), res)
	}
	spec.Stdin = []byte("x")
	if _, err := Run(t.Context(), spec); err == nil {
		t.Error("both Stdin and Input were taken")
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	const lines, limit = 200 << 20 / 64, 64 << 10
	var live atomic.Int64
	spec := helperSpec("flood", t.TempDir(), "3276800")
	spec.Limit = limit
	spec.Stdout = writerFunc(func(p []byte) (int, error) { live.Add(int64(len(p))); return len(p), nil })
	res := run(t, spec)
	var head, tail strings.Builder
	for i := range limit / 2 / 64 {
		head.WriteString(floodLine(i))
		tail.WriteString(floodLine(lines - limit/2/64 + i))
	}
	want := head.String() + "\n... [output truncated, 209715200 bytes total]\n" + tail.String()
	if got := res.Stdout.String(); got != want || !res.Stdout.Truncated() {
		t.Errorf("head or tail is wrong: %.80q … %.80q", got, got[max(0, len(got)-80):])
	}
	if res.Stdout.Total != lines*64 || live.Load() != lines*64 || res.ExitCode != 0 || res.Stderr.String() != "done" {
		t.Errorf("total %d, live %d, exit %d, %q", res.Stdout.Total, live.Load(), res.ExitCode, res.Stderr)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestLiveWriter(t *testing.T) {
	t.Parallel()
	t.Run("receives what is captured", func(t *testing.T) {
		t.Parallel()
		var out, err bytes.Buffer
		spec := helperSpec("flood", t.TempDir(), "20000")
		spec.Stdout, spec.Stderr = &out, &err
		res := run(t, spec)
		if !bytes.Equal(out.Bytes(), res.Stdout.Bytes()) || out.Len() != 20000*64 || err.String() != "done" {
			t.Errorf("live %d, captured %d", out.Len(), res.Stdout.Total)
		}
	})
	broken := errors.New("broken")
	for name, w := range map[string]io.Writer{
		"error":       writerFunc(func([]byte) (int, error) { return 0, broken }),
		"short write": writerFunc(func(p []byte) (int, error) { return len(p) - 1, nil }),
	} {
		t.Run(name+" ends the run", func(t *testing.T) {
			t.Parallel()
			spec := shell("echo x; sleep 100")
			spec.Stdout = w
			res := run(t, spec)
			if !errors.Is(res.Cancelled, broken) && !errors.Is(res.Cancelled, io.ErrShortWrite) {
				t.Errorf("cancelled by %v", res.Cancelled)
			}
			if res.Signal != "SIGTERM" || res.Stdout.String() != "x\n" {
				t.Errorf("%s, %q", res.Signal, res.Stdout)
			}
		})
	}
	t.Run("error after the end is reported", func(t *testing.T) {
		t.Parallel()
		spec := shell("echo x")
		gone := make(chan struct{})
		spec.Stdout = writerFunc(func([]byte) (int, error) { <-gone; return 0, broken })
		time.AfterFunc(300*time.Millisecond, func() { close(gone) })
		if res := run(t, spec); !errors.Is(res.Cancelled, broken) || res.ExitCode != 0 {
			t.Errorf("cancelled by %v, exit %d", res.Cancelled, res.ExitCode)
		}
	})
	t.Run("slower than the drain time loses nothing", func(t *testing.T) {
		t.Parallel()
		spec := shell("head -c 60000 /dev/zero; echo end >&2")
		var got atomic.Int64
		first := true
		spec.Stdout = writerFunc(func(p []byte) (int, error) {
			if first {
				time.Sleep(drainTime + drainTime/5)
				first = false
			}
			got.Add(int64(len(p)))
			return len(p), nil
		})
		if res := run(t, spec); got.Load() != 60000 || res.Stdout.Total != 60000 || res.Cancelled != nil {
			t.Errorf("live %d, captured %d, %v", got.Load(), res.Stdout.Total, res.Cancelled)
		}
	})
	t.Run("stuck for ever does not hang a run with a timeout", func(t *testing.T) {
		t.Parallel()
		stuck := make(chan struct{})
		defer close(stuck)
		spec := shell("echo x")
		spec.Stdout = writerFunc(func(p []byte) (int, error) { <-stuck; return len(p), nil })
		spec.Timeout = 500 * time.Millisecond
		if res := run(t, spec); !res.TimedOut || res.ExitCode != 0 || res.Stdout.String() != "x\n" {
			t.Errorf("%+v", res)
		}
	})
}

// A pipe that somebody outside of the run holds open cannot hold the run.
func TestPipeHeldOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "go")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	held := make(chan *os.File, 1)
	go func() { // opens the leader's stdout by its path while the leader waits
		defer close(held)
		if !waitUntil(func() bool { return noted(dir, []string{"pid"}) }) {
			return
		}
		pid, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			return
		}
		f, err := os.OpenFile("/proc/"+strings.TrimSpace(string(pid))+"/fd/1", os.O_WRONLY, 0)
		if err != nil {
			return
		}
		held <- f
		os.WriteFile(fifo, []byte("go\n"), 0)
	}()
	spec := shell(`echo before; echo $$ >tmp && mv tmp pid; read line <go; echo after`)
	spec.Dir = dir
	start := time.Now()
	res := run(t, spec)
	f := <-held
	if f == nil {
		t.Fatal("could not hold the pipe")
	}
	defer f.Close()
	if res.Stdout.String() != "before\nafter\n" || res.ExitCode != 0 {
		t.Errorf("%q, exit %d", res.Stdout, res.ExitCode)
	}
	if took := time.Since(start); took < drainTime || took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}
