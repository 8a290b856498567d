package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/mcptest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// keep begins a session that is kept, and whose server remembers.
func keep(t *testing.T, s *mcp.Server) *mcp.Session {
	t.Helper()
	session := mcp.NewSession(s, mcp.Options{
		Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, Lookup: lookup, Redact: hideCanary, Kept: true,
	})
	t.Cleanup(session.Close)
	return session
}

// through makes a call as another process does, which hangs up with the context.
func through(t *testing.T, ctx context.Context, session *mcp.Session, text, digest string) (*mcp.Result, []mcp.Definition, error) {
	t.Helper()
	ours, theirs := net.Pipe()
	var served sync.WaitGroup
	served.Go(func() {
		defer theirs.Close()
		session.Keep(t.Context(), theirs)
	})
	defer served.Wait()
	defer ours.Close()
	var offered []mcp.Definition
	result, err := mcp.CallKept(ctx, ours, "hostile", "echo", echo(text), digest, func(d []mcp.Definition) error {
		offered = d
		return errChanged
	})
	return result, offered, err
}

var errChanged = errors.New("it has changed")

// mustAnswer requires the text of an answer.
func mustAnswer(t *testing.T, session *mcp.Session, text, want string) {
	t.Helper()
	answer, _, err := through(t, t.Context(), session, text, "")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text != want || len(answer.Content) != 1 {
		t.Errorf("%s: got %q, want %q", text, answer.Text, want)
	}
}

// started counts the processes that the server has had.
func started(t *testing.T, s *mcp.Server) int {
	t.Helper()
	data, err := os.ReadFile(s.Env[mcptest.PIDFile])
	if err != nil {
		t.Fatal(err)
	}
	return len(strings.Fields(string(data)))
}

// TestKeptParallel: whoever calls at the same time shares one server, and gets the own answer.
func TestKeptParallel(t *testing.T) {
	s := hostile(t, "stateful")
	s.Timeout = 20 * time.Second
	session := keep(t, s)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			answer, _, err := through(t, t.Context(), session, fmt.Sprint("call ", i), "")
			if err != nil || answer.Text != fmt.Sprint("echo: call ", i) {
				t.Errorf("call %d: %+v, %v", i, answer, err)
			}
		})
	}
	all.Wait()
	mustAnswer(t, session, "count", "101 calls, 0 cancelled")
	if n := started(t, s); n != 1 {
		t.Errorf("%d servers were started", n)
	}
}

// TestKeptCancel: who hangs up cancels the call, and the server stays.
func TestKeptCancel(t *testing.T) {
	s := hostile(t, "stateful")
	s.Timeout = time.Minute
	session := keep(t, s)
	mustAnswer(t, session, "count", "1 calls, 0 cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errors.New("stop it")) })
	_, _, err := through(t, ctx, session, "hang", "")
	if failure := mustFail(t, err, item.TypeInterrupted); !strings.Contains(failure.Message, "stop it") {
		t.Error(failure)
	}
	mustAnswer(t, session, "count", "3 calls, 1 cancelled")
	if n := started(t, s); n != 1 {
		t.Errorf("%d servers were started", n)
	}
}

// TestKeptFrozen: a server that answers nothing any more after a call was cancelled is ended, and the next call has a new one.
func TestKeptFrozen(t *testing.T) {
	s := hostile(t, "stateful", "stubborn", "children")
	s.Timeout = 20 * time.Second
	session := keep(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, _, err := through(t, ctx, session, "freeze", "")
	mustFail(t, err, item.TypeInterrupted)
	mustAnswer(t, session, "count", "1 calls, 0 cancelled")
}

// TestKeptDeath: a server that has left between calls, or during one, is started anew for the next.
func TestKeptDeath(t *testing.T) {
	s := hostile(t, "stateful")
	session := keep(t, s)
	mustAnswer(t, session, "one", "echo: one")
	_, _, err := through(t, t.Context(), session, "crash", "")
	if failure := mustFail(t, err, item.TypeUnavailable); !strings.Contains(failure.Message, "out of cheese") {
		t.Error(failure)
	}
	mustAnswer(t, session, "count", "1 calls, 0 cancelled")
	_, _, err = through(t, t.Context(), session, "hang", "")
	mustFail(t, err, item.TypeTimeout)
	mustAnswer(t, session, "count", "1 calls, 0 cancelled")
	if n := started(t, s); n != 3 {
		t.Errorf("%d servers were started", n)
	}
}

// TestKeptPin: a tool whose definition is not the one that is asked for is not called, also when it has changed meanwhile.
func TestKeptPin(t *testing.T) {
	session := keep(t, hostile(t, "stateful"))
	tools, err := session.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pinned := tools[0].Digest()
	for _, text := range []string{"one", "two"} {
		if answer, _, err := through(t, t.Context(), session, text, pinned); err != nil || answer.Text != "echo: "+text {
			t.Fatalf("got %+v, %v", answer, err)
		}
	}
	if _, offered, err := through(t, t.Context(), session, "x", "sha256:00"); !errors.Is(err, errChanged) || len(offered) != 2 {
		t.Errorf("got %v, %v", offered, err)
	}
	if _, _, err := through(t, t.Context(), session, "change", pinned); err != nil {
		t.Fatal(err)
	}
	_, offered, err := through(t, t.Context(), session, "count", pinned)
	if !errors.Is(err, errChanged) || !strings.Contains(fmt.Sprint(offered), "id_ed25519") {
		t.Errorf("got %v, %v", offered, err)
	}
	mustAnswer(t, session, "count", "4 calls, 0 cancelled") // what was refused did not reach the server
}

// TestKeptGarbage: a caller that says nothing sensible gets nothing, and does no harm.
func TestKeptGarbage(t *testing.T) {
	session := keep(t, hostile(t, "stateful"))
	for _, said := range []string{"", "\x00\xff", "{", `{"Tool":`, "GET / HTTP/1.1\r\n\r\n"} {
		ours, theirs := net.Pipe()
		go func() {
			ours.Write([]byte(said))
			ours.Close()
		}()
		session.Keep(t.Context(), theirs)
		theirs.Close()
	}
	mustAnswer(t, session, "count", "1 calls, 0 cancelled")
}

// TestKeeperGone: when the keeper dies during a call, nothing is known of it, and it is not repeated.
func TestKeeperGone(t *testing.T) {
	ours, theirs := net.Pipe()
	go func() {
		theirs.Read(make([]byte, 1<<10))
		theirs.Close()
	}()
	_, err := mcp.CallKept(t.Context(), ours, "hostile", "echo", echo("x"), "", nil)
	mustFail(t, err, item.TypeUnavailable)
}

func TestParseKeepAlive(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "90": 90 * time.Second, "0.5": 500 * time.Millisecond, "5m": 5 * time.Minute, "0s": 0, "24h": 24 * time.Hour,
		"-1": -1, "25h": -1, "x": -1, "": -1, "NaN": -1, "1e9": -1,
	} {
		if got, err := mcp.ParseKeepAlive(text); (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: got %s, %v", text, got, err)
		}
	}
}
