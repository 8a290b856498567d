package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is how long calls may go on when the client has ended its input. Who asks through a pipe ends it at once, and
// wants the answers nevertheless; a client that leaves waits for the server to end.
const lastAnswers = 3 * time.Second

// ServeStdio serves one client, until it ends its input or ctx ends. Then nothing of what it has called runs any more.
func ServeStdio(ctx context.Context, items Items, o ServeOptions, in io.Reader, out io.Writer) error {
	calls, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h := newHost(calls, items, o)
	conn := newLines(in, out)
	conn.late = func() { cancel(errors.New("the client has ended its input")) }
	session, err := h.server.Connect(context.WithoutCancel(ctx), conn, nil)
	if err != nil {
		return err
	}
	over := make(chan struct{})
	go func() {
		session.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
	cancel(errors.New("the client has gone"))
	h.finish(func() { session.Close() })
	return nil
}

// lines is a connection of one message a line. What is no message is answered with an error and does no harm to those that
// follow; the SDK's own would end the session.
type lines struct {
	in       *bufio.Reader
	received chan jsonrpc.Message
	closed   chan struct{}
	close    sync.Once

	mu  sync.Mutex
	out io.Writer

	asked *outstanding
	late  func() // ends the calls
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{
		in: bufio.NewReaderSize(in, 64<<10), out: out, received: make(chan jsonrpc.Message), closed: make(chan struct{}),
		asked: newOutstanding(),
	}
}

// Connect begins to read. A read cannot be interrupted; the goroutine ends with the input or with the program.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go l.scan()
	return l, nil
}

func (l *lines) SessionID() string { return "" }

func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg, ok := <-l.received:
		if !ok {
			return nil, io.EOF
		}
		return msg, nil
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *lines) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	err = l.send(data)
	l.asked.answered(msg)
	return err
}

func (l *lines) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// send writes a line. When nobody reads any more, the session is over.
func (l *lines) send(data []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(append(data, '\n'))
	if err != nil {
		l.Close()
	}
	return err
}

// scan passes messages on until the input ends, and then waits for the answers.
func (l *lines) scan() {
	defer close(l.received)
	l.passAll()
	none := l.asked.none()
	for _, before := range []func(){func() {}, l.late} {
		before()
		select {
		case <-none:
			return
		case <-l.closed:
			return
		case <-time.After(lastAnswers):
		}
	}
}

func (l *lines) passAll() {
	for {
		line, tooLong, err := l.line()
		if tooLong {
			l.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d bytes", MaxRequest))
		} else if line = bytes.TrimSpace(line); len(line) > 0 && !l.pass(line) {
			return
		}
		if err != nil {
			return
		}
	}
}

// line reads up to the next end of line, and keeps no more of it than may be a message.
func (l *lines) line() (line []byte, tooLong bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > MaxRequest; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// pass hands a message to the session; it is false when there is none any more.
func (l *lines) pass(line []byte) bool {
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		code := int64(jsonrpc.CodeParseError)
		if json.Valid(line) {
			code = jsonrpc.CodeInvalidRequest
		}
		l.refuse(code, Clean(err.Error()))
		return true
	}
	l.asked.received(msg)
	select {
	case l.received <- msg:
		return true
	case <-l.closed:
		return false
	}
}

// refuse answers what has no id that could be read.
func (l *lines) refuse(code int64, message string) {
	const most = 300
	if len(message) > most {
		message = message[:most] + "…"
	}
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message},
	})
	if err == nil {
		l.send(data)
	}
}
