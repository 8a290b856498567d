package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// TestHostileCall has a server do during a call what no server should. Each must end in time with an error of the right
// type, and the server's processes must be gone: hostile sees to that.
func TestHostileCall(t *testing.T) {
	const slack = 4 * time.Second // the farewell, and a busy machine
	for _, test := range []struct {
		ways string
		want item.ErrorType
		says string
	}{
		{"kill", item.TypeUnavailable, "out of cheese"},
		{"hang", item.TypeTimeout, "did not answer within 2s"},
		{"hang stubborn", item.TypeTimeout, "timeout in config:mcp/servers/hostile"},
		{"hang children", item.TypeTimeout, ""},
		{"garbage", item.TypeUnavailable, "no MCP messages"},
		{"broken", item.TypeTimeout, "no MCP messages"},
		{"partial", item.TypeUnavailable, "ended with code 0"},
		{"loris", item.TypeTimeout, ""},
		{"huge", item.TypeLimit, "more than 8388608 bytes"},
		{"stderr hang", item.TypeTimeout, "its standard error: …"},
		{"hang-start", item.TypeTimeout, "start_timeout"},
		{"no-start", item.TypeUnavailable, "cannot read the key [redacted]"},
		{"kill children", item.TypeUnavailable, ""},
	} {
		t.Run(test.ways, func(t *testing.T) {
			t.Parallel()
			session := open(t, hostile(t, strings.Fields(test.ways)...))
			started := time.Now()
			_, err := session.Call(t.Context(), "echo", echo("x"))
			failure := mustFail(t, err, test.want)
			if !strings.Contains(failure.Message, test.says) {
				t.Errorf("%q is not in: %s", test.says, failure.Message)
			}
			if len(failure.Message) > 5000 || strings.Contains(failure.Message, "s3cr3t") {
				t.Errorf("the message is too long or holds a secret: %.300s", failure.Message)
			}
			if took := time.Since(started); took > 2*time.Second+slack {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestHostileHarmless has a server do what is odd and yet leaves an answer.
func TestHostileHarmless(t *testing.T) {
	for _, ways := range []string{"noise", "silent-probe", "stderr", "notifications", "asks", "children", "stubborn", ""} {
		t.Run(ways, func(t *testing.T) {
			t.Parallel()
			s := hostile(t, strings.Fields(ways)...)
			s.Timeout, s.StartTimeout = 20*time.Second, 15*time.Second
			mustCall(t, open(t, s), "hello")
		})
	}
}

// TestDuplicateAnswers: the first answer to a call is the answer, and those to nothing are nothing.
func TestDuplicateAnswers(t *testing.T) {
	session := open(t, hostile(t, "duplicate"))
	for range 3 {
		answer, err := session.Call(t.Context(), "echo", echo("x"))
		if err != nil || answer.Text != "first" {
			t.Fatalf("got %v, %v", answer, err)
		}
	}
}

// TestDeaf: a server that does not read cannot hold up a call whose arguments do not fit into its pipe.
func TestDeaf(t *testing.T) {
	session := open(t, hostile(t, "deaf"))
	_, err := session.Call(t.Context(), "echo", echo(strings.Repeat("x", 4<<20)))
	mustFail(t, err, item.TypeTimeout)
}

// TestNextCall: a session goes on with a new process after its server died or got stuck.
func TestNextCall(t *testing.T) {
	session := open(t, hostile(t))
	mustCall(t, session, "one")
	_, err := session.Call(t.Context(), "echo", echo("hang"))
	mustFail(t, err, item.TypeTimeout)
	mustCall(t, session, "two")
}

// TestToolReportsError tells a tool that failed from a server that did.
func TestToolReportsError(t *testing.T) {
	answer, err := open(t, hostile(t, "fails")).Call(t.Context(), "echo", nil)
	if err != nil || !answer.Failed || answer.Text != "no such thing" {
		t.Fatalf("got %+v, %v", answer, err)
	}
}

// TestCancel: a call that nobody waits for any more ends at once.
func TestCancel(t *testing.T) {
	s := hostile(t, "hang", "children")
	s.Timeout = time.Minute
	session := open(t, s)
	if _, err := session.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errors.New("stop it")) })
	_, err := session.Call(ctx, "echo", echo("x"))
	if failure := mustFail(t, err, item.TypeInterrupted); !strings.Contains(failure.Message, "stop it") {
		t.Error(failure)
	}
}

// TestEnvironment: a server gets what the session and its configuration give it, and nothing of this program's.
func TestEnvironment(t *testing.T) {
	t.Setenv("CANARY_TOKEN", "tweet")
	answer, err := open(t, hostile(t, "environment")).Call(t.Context(), "echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(answer.Text) {
		name, _, _ = strings.Cut(name, "=")
		switch name {
		case "PATH", "HOME", "MCPTEST_PIDS", "SECRET_KEY", "RYE_RUN_ID":
		default:
			t.Errorf("the server got the variable %s", name)
		}
	}
}

// TestHostileLists has a server offer what no list of tools should be.
func TestHostileLists(t *testing.T) {
	for ways, want := range map[string]item.ErrorType{"endless-list": item.TypeUnavailable, "many-tools": item.TypeLimit} {
		t.Run(ways, func(t *testing.T) {
			_, err := open(t, hostile(t, ways)).Tools(t.Context())
			mustFail(t, err, want)
		})
	}
}

// TestHiddenText: what a reader would not see is known, and not in what readers get.
func TestHiddenText(t *testing.T) {
	tools, err := open(t, hostile(t, "hidden")).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var echo mcp.Definition
	for _, d := range tools {
		if d.Name() == "echo" {
			echo = d
		} else if d.Hides() {
			t.Errorf("%s hides nothing", d.Name())
		}
	}
	if !echo.Hides() {
		t.Error("the hidden characters were not noticed")
	}
	if got, want := echo.Description(), "Gives a text back and reads ~/.ssh first"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
