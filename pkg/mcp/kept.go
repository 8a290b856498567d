package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
)

const (
	// maxAge is how long a server's list of tools counts if it does not say that it has changed.
	maxAge = 30 * time.Second
	// patience is how long a server may take to answer at all after it was told that a call is not wanted any more.
	patience = 2 * time.Second
	// maxCall bounds, in bytes, what a caller may want of a kept session.
	maxCall = 256 << 20
	// writeTime is for a caller to take its answer.
	writeTime = time.Minute
)

// offered is what the server offers: what it said when it was asked last, if that is not long ago and it has not said since
// that it is no longer true.
func (s *Session) offered(ctx context.Context, l *link) ([]Definition, error) {
	select {
	case l.listing <- struct{}{}:
		defer func() { <-l.listing }()
	case <-ctx.Done():
		return nil, interrupted(ctx)
	}
	changed := l.program != nil && l.program.changed.Swap(false)
	if l.known != nil && !changed && time.Since(l.asked) < maxAge {
		return l.known, nil
	}
	l.known, l.asked = nil, time.Now()
	offered, err := s.list(ctx, l)
	l.known = offered
	return offered, err
}

// askAgain keeps the SDK from answering for the server: it would not hear of a change.
func askAgain(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		if list, ok := result.(*sdk.ListToolsResult); ok && list != nil {
			list.TTLMs = 0
		}
		return result, err
	}
}

// abandon leaves the connection in use when nobody waits for a call any more, of which the server was told. One that does not
// answer anything then is not used again.
func (s *Session) abandon(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.doubt != nil {
		return
	}
	l.users++
	l.doubt = make(chan struct{})
	go func() {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		if err := l.Ping(ctx, nil); err != nil && answerOf(err) == nil {
			s.drop(l)
		}
		s.mu.Lock()
		close(l.doubt)
		l.doubt = nil
		s.mu.Unlock()
		s.release(l)
	}()
}

// awaitDoubt has a call wait until it is known whether the connection can be used.
func (s *Session) awaitDoubt(ctx context.Context) error {
	s.mu.Lock()
	var doubt chan struct{}
	if s.current != nil {
		doubt = s.current.doubt
	}
	s.mu.Unlock()
	if doubt == nil {
		return nil
	}
	select {
	case <-doubt:
		return nil
	case <-ctx.Done():
		return interrupted(ctx)
	}
}

// interrupted is the error of a context that has ended, which may have an error of rye's as its cause.
func interrupted(ctx context.Context) error {
	if told, ok := errors.AsType[*item.Error](context.Cause(ctx)); ok {
		return told
	}
	return item.Errorf(item.TypeInterrupted, "interrupted: %w", context.Cause(ctx))
}

// keptCall is what a caller wants of a kept session.
type keptCall struct {
	Tool      string
	Arguments json.RawMessage
	Digest    string // of the definition that the tool must have; "" for any
}

// keptAnswer is one of the three.
type keptAnswer struct {
	Result  *keptResult   `json:",omitempty"`
	Failure *keptFailure  `json:",omitempty"`
	Offered *[]Definition `json:",omitempty"` // the tool has not that definition, and was not called
}

// keptResult is a Result on its way: what is JSON stays as it is.
type keptResult struct {
	Content            []json.RawMessage
	Structured, Parsed json.RawMessage `json:",omitempty"`
	Failed             bool
	Text               string
}

type keptFailure struct {
	Type    item.ErrorType
	Message string
	Hints   []string
}

// errOther is the answer to a call for a definition that the tool does not have.
var errOther = errors.New("the tool has another definition")

// Keep serves one call over the session, for another process. When that hangs up, the call is cancelled.
func (s *Session) Keep(ctx context.Context, conn net.Conn) {
	ctx, hungUp := context.WithCancelCause(ctx)
	defer hungUp(nil)
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Now()) })
	defer stop()
	var call keptCall
	if err := json.NewDecoder(io.LimitReader(conn, maxCall)).Decode(&call); err != nil {
		return
	}
	go func() {
		conn.Read(make([]byte, 1)) // there is nothing more to say
		hungUp(errors.New("the caller hung up"))
	}()
	answer := s.keep(ctx, call.Tool, call.Arguments, call.Digest)
	conn.SetWriteDeadline(time.Now().Add(writeTime))
	encode(conn, answer)
}

func (s *Session) keep(ctx context.Context, tool string, arguments json.RawMessage, digest string) (answer keptAnswer) {
	accept := func(offered []Definition) error {
		if !pinned(offered, tool, digest) {
			offered = append([]Definition{}, offered...) // none is an answer, too
			answer.Offered = &offered
			return errOther
		}
		return nil
	}
	if digest == "" {
		accept = nil
	}
	result, err := s.CallIf(ctx, tool, arguments, accept)
	switch {
	case errors.Is(err, errOther):
	case err != nil:
		answer.Failure = &keptFailure{item.TypeOf(err), err.Error(), item.HintsOf(err)}
	default:
		answer.Result = &keptResult{Content: result.Content, Failed: result.Failed, Text: result.Text}
		answer.Result.Structured, answer.Result.Parsed = raw(result.Structured), raw(result.Parsed)
	}
	return answer
}

// pinned reports whether there is exactly one tool of that name, and it has that definition.
func pinned(offered []Definition, tool, digest string) bool {
	found := 0
	for _, d := range offered {
		if d.Name() == tool {
			if found++; d.Digest() != digest {
				return false
			}
		}
	}
	return found == 1
}

// raw is a part of a result as JSON, nil if there is none.
func raw(part any) json.RawMessage {
	if part == nil {
		return nil
	}
	var data bytes.Buffer
	encode(&data, part) // it came from JSON
	return bytes.TrimSpace(data.Bytes())
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// CallKept has the kept session at the other end of a connection call a tool of the server. If digest is given and the
// tool's definition has another one, accept, which gets what the server offers, must say what is wrong.
func CallKept(ctx context.Context, conn net.Conn, server, tool string, arguments any, digest string, accept func([]Definition) error) (*Result, error) {
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Now()) })
	defer stop()
	given, err := json.Marshal(arguments)
	if err != nil {
		return nil, item.Usagef("the arguments cannot be written as JSON: %w", err)
	}
	var answer keptAnswer
	if err = encode(conn, keptCall{tool, given, digest}); err == nil {
		err = json.NewDecoder(conn).Decode(&answer)
	}
	switch {
	case ctx.Err() != nil:
		return nil, interrupted(ctx)
	case err != nil:
		return nil, item.Errorf(item.TypeUnavailable, "what kept the MCP server %s has ended during the call: %w", server, err).
			Hint("whether the tool ran is not known; another call starts the server anew")
	case answer.Failure != nil:
		return nil, &item.Error{Type: answer.Failure.Type, Message: answer.Failure.Message, Hints: answer.Failure.Hints}
	case answer.Result != nil:
		return answer.Result.result(), nil
	case answer.Offered != nil:
		if err := accept(*answer.Offered); err != nil {
			return nil, err
		}
	}
	return nil, item.Errorf(item.TypeInternal, "what keeps the MCP server %s gave no answer", server)
}

func (k *keptResult) result() *Result {
	r := &Result{Content: k.Content, Failed: k.Failed, Text: k.Text}
	if k.Structured != nil {
		r.Structured = k.Structured
	}
	if k.Parsed != nil {
		r.Parsed = k.Parsed
	}
	return r
}

// DefaultKeepAlive is how long a server stays without a call where nobody says otherwise.
const DefaultKeepAlive = 5 * time.Minute

// ParseKeepAlive reads how long a server is kept: a number of seconds, or a text such as 5m. 0 is not at all.
func ParseKeepAlive(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if seconds, numeric := strconv.ParseFloat(text, 64); numeric == nil && seconds >= 0 && seconds <= mostKeepAlive.Seconds() {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || d < 0 || d > mostKeepAlive {
		return 0, fmt.Errorf("%q is no time from 0 to %.0fh, such as 90 (seconds) or 5m", text, mostKeepAlive.Hours())
	}
	return d, nil
}

const mostKeepAlive = 24 * time.Hour
