package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/redact"
)

// Outcome is a finished run in the envelope's terms.
type Outcome struct {
	Data any   // json.RawMessage of an object, or *item.Streams
	Err  error // nil on success; an *item.Error otherwise
}

// Shape turns what a process left into data and, for a failure, an error (design §5, spec/rye-core §6.2): a JSON object
// on standard output is the data, any other JSON value becomes {"result": value}, anything else the streams themselves.
func (p *Plan) Shape(r process.Result) Outcome {
	if p.TextResult {
		return Outcome{Data: p.textStreams(r), Err: p.failure(r)}
	}
	if r.Stdout.Truncated() {
		return Outcome{Data: streams(r), Err: p.failure(r)}
	}
	out := bytes.TrimSpace(r.Stdout.Bytes())
	if len(out) == 0 || !json.Valid(out) {
		return Outcome{Data: streams(r), Err: p.failure(r)}
	}
	if out[0] != '{' {
		data, _ := json.Marshal(map[string]json.RawMessage{"result": out})
		return Outcome{Data: json.RawMessage(data), Err: p.failure(r)}
	}
	if err := p.failure(r); err != nil {
		return Outcome{Data: json.RawMessage(out), Err: err}
	}
	return Outcome{Data: json.RawMessage(out), Err: p.reported(out)}
}

// reported is the failure that a tool declares itself with `success: false` in its object.
func (p *Plan) reported(out []byte) error {
	var fields map[string]json.RawMessage // not a struct, whose field names would match in any case
	if json.Unmarshal(out, &fields) != nil || string(fields["success"]) != "false" {
		return nil
	}
	for _, name := range []string{"error", "stderr"} {
		var text string
		if json.Unmarshal(fields[name], &text) == nil && text != "" {
			return item.Errorf(item.TypeFailed, "%s", item.CleanText(text))
		}
	}
	return item.Errorf(item.TypeFailed, "the tool reported success: false")
}

// failure says why a process did not succeed; nil when it did.
func (p *Plan) failure(r process.Result) error {
	stderr := strings.TrimSpace(r.Stderr.String())
	switch {
	case r.TimedOut:
		return item.Errorf(item.TypeTimeout, "timed out after %s (limit set by %s)", shortDuration(p.Timeout), p.TimeoutOwner).
			Hint("raise it for one run: --timeout %s", shortDuration(2*p.Timeout))
	case r.Cancelled != nil:
		return cutShort(r.Cancelled)
	case r.Signal != "":
		return item.Errorf(item.TypeFailed, "%s", because("killed by "+r.Signal, stderr, p.secrets))
	case r.ExitCode != 0:
		return item.Errorf(item.TypeFailed, "%s", because(fmt.Sprintf("exited with code %d", r.ExitCode), stderr, p.secrets))
	}
	return nil
}

// cutShort tells an output that cannot be written from a person who stopped the run, or stopped reading.
func cutShort(cause error) error {
	if write, ok := errors.AsType[*process.WriteError](cause); ok && !errors.Is(write, syscall.EPIPE) {
		return item.Errorf(item.TypeUnavailable, "%w", write)
	}
	return item.Errorf(item.TypeInterrupted, "interrupted: %w", cause)
}

// because adds to what happened how standard error ends. A secret is taken out before the text is cut, which could leave
// a part of it.
func because(what, stderr string, secrets *redact.Redactor) string {
	const most = 4096 // of a long standard error, its end says why
	long := len(stderr) > most
	stderr = secrets.Tail(stderr, most)
	if long {
		for stderr != "" && !utf8.RuneStart(stderr[0]) {
			stderr = stderr[1:] // of a character that was cut
		}
		stderr = "…" + stderr
	}
	stderr = item.CleanText(stderr) // not before: a secret need not be text
	if stderr == "" {
		return what
	}
	return what + ": " + stderr
}

func shortDuration(d time.Duration) string { return d.Round(time.Millisecond).String() }

func streams(r process.Result) *item.Streams {
	return &item.Streams{
		Stdout: item.CleanText(r.Stdout.String()), Stderr: item.CleanText(r.Stderr.String()),
		ReturnCode: r.ExitCode, ExitCode: r.ExitCode, Truncated: r.Stdout.Truncated() || r.Stderr.Truncated(),
	}
}

// textStreams adds what `result: text` promises: whether it worked, and both streams as one text (spec/rye-core §9.1).
func (p *Plan) textStreams(r process.Result) *item.Streams {
	s := streams(r)
	ok := p.failure(r) == nil
	s.Success, s.Output = &ok, s.Stdout
	if s.Stderr != "" {
		s.Output = strings.TrimPrefix(s.Output+"\n[stderr]\n"+s.Stderr, "\n")
	}
	return s
}
