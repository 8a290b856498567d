package mcp

import (
	"context"
	"errors"
	"io/fs"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// link is one connection of a session.
type link struct {
	*sdk.ClientSession
	program *program // or
	remote  *remote
	users   int
	dropped bool

	doubt   chan struct{} // closed when it is known whether it still answers; nil without doubt
	listing chan struct{} // holds one while somebody asks for the tools
	known   []Definition  // what the server offers
	asked   time.Time     // and when it said so
}

// lateness is how much longer than its time an agreement may take.
const lateness = 200 * time.Millisecond

// closeTime bounds the farewell to a server on the network, which may not listen any more.
const closeTime = time.Second

// connect starts or calls the server and agrees with it on a protocol.
func (s *Session) connect(ctx context.Context) (*link, error) {
	ctx, stop := s.limit(ctx, s.server.StartTimeout, "start_timeout")
	defer stop()
	l := &link{listing: make(chan struct{}, 1)}
	var transport sdk.Transport
	var err error
	if s.server.Remote() {
		if l.remote, err = newRemote(s.server, s.options.Grants); err != nil {
			return nil, err
		}
		transport = l.remote
	} else {
		if l.program, err = s.program(); err != nil {
			return nil, err
		}
		transport = l.program
	}
	l.ClientSession, err = s.greet(ctx, s.client(), transport)
	if err != nil {
		l.close()
		return nil, s.failure(ctx, l, err)
	}
	return l, nil
}

func (s *Session) client() *sdk.Client {
	options := &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{}, // none: rye answers no questions of a server
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	}
	if s.options.Kept { // a server of the newer protocol says only what it was asked to say; see output.message
		options.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) {}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "rye", Version: s.options.Self}, options)
	client.AddSendingMiddleware(askAgain)
	return client
}

// greet agrees on a protocol. When the time for that is over, the SDK would still take a moment to say goodbye to who does not
// listen.
func (s *Session) greet(ctx context.Context, client *sdk.Client, transport sdk.Transport) (*sdk.ClientSession, error) {
	var agreed *sdk.ClientSession
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		agreed, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: s.server.Protocol})
	}()
	select {
	case <-done:
		return agreed, err
	case <-ctx.Done():
	}
	select {
	case <-done:
		return agreed, err
	case <-time.After(lateness):
		go func() {
			if <-done; agreed != nil {
				agreed.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// program describes the server's process.
func (s *Session) program() (*program, error) {
	path, err := s.options.Lookup(s.server.Command)
	if err != nil {
		e := item.Errorf(item.TypeUnavailable, "cannot start the MCP server %s: %w", s.server.Name, err)
		if errors.Is(err, fs.ErrNotExist) {
			e.Hint("install %s, or name its absolute path in config:%s", s.server.Command, serversFolder+s.server.Name)
		}
		return nil, e
	}
	env := append([]string{}, s.options.Env...)
	for name, value := range s.server.Env {
		env = append(env, name+"="+value)
	}
	dir := s.server.Dir
	if dir == "" {
		dir = s.options.Dir
	}
	return &program{
		name: s.server.Name, maxMessage: s.server.MaxMessage, probeTime: s.server.StartTimeout / 3,
		spec: process.Spec{Path: path, Argv: append([]string{path}, s.server.Args...), Env: env, Dir: dir, Spare: s.options.Spare},
	}, nil
}

// limit bounds one step; the error of a step that takes longer names the setting.
func (s *Session) limit(ctx context.Context, d time.Duration, setting string) (context.Context, context.CancelFunc) {
	cause := item.Errorf(item.TypeTimeout, "the MCP server %s did not answer within %s (%s in config:%s)",
		s.server.Name, d, setting, serversFolder+s.server.Name)
	return context.WithTimeoutCause(ctx, d, cause)
}

// over reports whether the connection is known to be dead.
func (l *link) over() bool {
	if l.program == nil {
		return l.remote.ended() != nil
	}
	select {
	case <-l.program.gone:
		return true
	default:
		return l.program.ended() != nil
	}
}

// close says farewell, for a bounded time, and ends the program.
func (l *link) close() {
	if l.program != nil && l.program.gone != nil {
		l.program.Close()
	}
	if l.ClientSession != nil {
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.ClientSession.Close()
		}()
		select {
		case <-done:
		case <-time.After(closeTime):
		}
	}
	if l.remote != nil {
		l.remote.close()
	}
}
