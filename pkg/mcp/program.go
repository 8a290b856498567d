package mcp

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

const (
	leaveTime   = time.Second            // for a server to end when its input has ended
	killGrace   = 500 * time.Millisecond // then between SIGTERM and SIGKILL
	keptStderr  = 64 << 10
	mostNoise   = 64 << 10 // bytes of a server's output that are no messages
	keptNoise   = 200      // of which are shown
	probeMethod = "server/discover"

	toolsChanged = "notifications/tools/list_changed"
)

// program is a server that is started for one session: an sdk.Transport and, once connected, its sdk.Connection. A message
// is a line. Lines that are none are noise, of which a server may make a little.
type program struct {
	name       string
	spec       process.Spec
	maxMessage int
	probeTime  time.Duration // how long a server may leave the probe of the newer protocol unanswered

	incoming chan jsonrpc.Message
	outgoing chan []byte
	closing  chan struct{} // no more is sent or received
	gone     chan struct{} // the program and all it started are over
	stop     context.CancelCauseFunc
	closed   sync.Once

	changed atomic.Bool // the server says that its tools are others now

	line []byte // of the message that is being received
	rest []byte // of the message that is being sent

	mu    sync.Mutex
	noise []byte // the start of what was no message
	noisy int    // and how much there was
	cause error  // why the session ended, if that is known better than by the program's end
	left  bool   // this side ended it
	probe *time.Timer

	result process.Result // once it is gone
	failed error          // it could not be started
}

// Connect starts the program. That it could not be started is what Read then says.
func (p *program) Connect(ctx context.Context) (sdk.Connection, error) {
	p.incoming, p.outgoing = make(chan jsonrpc.Message), make(chan []byte)
	p.closing, p.gone = make(chan struct{}), make(chan struct{})
	ctx, p.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	p.spec.Input, p.spec.Stdout, p.spec.Limit, p.spec.Grace = input{p}, output{p}, keptStderr, killGrace
	go func() {
		defer close(p.gone)
		p.result, p.failed = process.Run(ctx, p.spec)
		p.stop(nil)
	}()
	return p, nil
}

// Read gives the next message.
func (p *program) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-p.incoming:
		return msg, nil
	case <-p.closing:
	case <-p.gone:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, io.EOF
}

// Write sends a message. A server that does not read cannot hold it up longer than the context lasts.
func (p *program) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == probeMethod {
		p.giveUpProbe(req)
	}
	select {
	case p.outgoing <- append(data, '\n'):
		return nil
	case <-p.closing:
	case <-p.gone:
	case <-ctx.Done():
		return ctx.Err()
	}
	return io.ErrClosedPipe
}

// giveUpProbe answers the probe of the newer protocol for a server of the older one that stays silent about what it does
// not know. What it may say later is an answer to nothing.
func (p *program) giveUpProbe(probe *jsonrpc.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probe = time.AfterFunc(p.probeTime, func() {
		p.deliver(&jsonrpc.Response{ID: probe.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer"}})
	})
}

func (p *program) SessionID() string { return "" }

// Close ends the program's input, and then the program if that did not.
func (p *program) Close() error {
	p.closed.Do(func() {
		close(p.closing)
		p.mu.Lock()
		select {
		case <-p.gone:
		default:
			p.left = true
		}
		if p.probe != nil {
			p.probe.Stop()
		}
		p.mu.Unlock()
	})
	leave := time.NewTimer(leaveTime)
	defer leave.Stop()
	select {
	case <-p.gone:
	case <-leave.C:
		p.stop(&process.StopError{Grace: killGrace, Reason: "the MCP session is over"})
		<-p.gone
	}
	return nil
}

// abort notes why the session cannot go on.
func (p *program) abort(cause error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause == nil {
		p.cause = cause
	}
	return p.cause
}

// ended says why the program is over: nil while it runs or when it was this side that ended it.
func (p *program) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gone:
	default:
		return p.cause
	}
	switch {
	case p.cause != nil || p.left:
		return p.cause
	case p.failed != nil:
		return item.Errorf(item.TypeUnavailable, "the MCP server %s did not start: %w", p.name, p.failed)
	case p.result.Signal != "":
		return item.Errorf(item.TypeUnavailable, "the MCP server %s was killed by %s", p.name, p.result.Signal)
	}
	return item.Errorf(item.TypeUnavailable, "the MCP server %s ended with code %d", p.name, p.result.ExitCode)
}

func (p *program) deliver(msg jsonrpc.Message) {
	select {
	case p.incoming <- msg:
	case <-p.closing:
	case <-p.gone:
	}
}
