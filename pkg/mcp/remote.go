package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
)

// remote is the way to a server on the network: every request of its session passes through it. It adds the server's
// headers, sends them nowhere else, and bounds what comes back.
type remote struct {
	server *Server
	home   *url.URL
	base   *http.Transport
	cancel context.CancelFunc // ends what is still being read

	mu    sync.Mutex
	cause error // why the session cannot go on, if it is known better than by what the SDK says
}

func newRemote(s *Server) (*remote, error) {
	home, err := s.address()
	if err != nil {
		return nil, err
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	base.MaxIdleConnsPerHost = base.MaxIdleConns
	return &remote{server: s, home: home, base: base}, nil
}

// Connect calls the server. What the SDK reads from beyond that lasts as long as the session, not as the context.
func (r *remote) Connect(ctx context.Context) (sdk.Connection, error) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	return r.transport().Connect(lasting)
}

func (r *remote) transport() sdk.Transport {
	client := &http.Client{Transport: r, CheckRedirect: checkRedirect}
	if r.server.Transport == SSE {
		return &sdk.SSEClientTransport{Endpoint: r.server.URL, HTTPClient: client, MaxEventSize: r.server.MaxMessage}
	}
	return &sdk.StreamableClientTransport{
		Endpoint: r.server.URL, HTTPClient: client, MaxEventSize: r.server.MaxMessage,
		DisableStandaloneSSE: true, // nobody waits for what a server says unasked
		MaxRetries:           1,
	}
}

// checkRedirect follows a server only where a message arrives as it was sent.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if req.Method != via[0].Method || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// RoundTrip sends one request.
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != r.home.Scheme || req.URL.Host != r.home.Host {
		return nil, r.abort(item.Errorf(item.TypePermission, "the MCP server %s sends its client to another host, %s", r.server.Name, item.Quote(req.URL.Host)).
			Hint("if that is right, make it the url in config:%s", serversFolder+r.server.Name))
	}
	req = req.Clone(req.Context())
	for name, value := range r.server.Headers {
		if !ownHeader(name) {
			req.Header.Set(name, value)
		}
	}
	resp, err := r.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.cause = r.refused(resp.StatusCode) // an old server may refuse the probe of the newer protocol in any way
	r.mu.Unlock()
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") { // whose events are bounded one by one
		resp.Body = &boundedBody{ReadCloser: resp.Body, remote: r, left: r.server.MaxMessage}
	}
	return resp, nil
}

// ownHeader reports whether a header is part of the protocol and so not the configuration's.
func ownHeader(name string) bool {
	name = http.CanonicalHeaderKey(name)
	return name == "Content-Type" || name == "Accept" || name == "Content-Length" || strings.HasPrefix(name, "Mcp-")
}

// refused is the error of a status that no other message makes up for.
func (r *remote) refused(status int) error {
	if status < 400 {
		return nil
	}
	what := item.Errorf(item.TypeUnavailable, "the MCP server %s answers %d %s", r.server.Name, status, http.StatusText(status))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		what.Type = item.TypePermission
		return what.Hint("check the headers in config:%s", serversFolder+r.server.Name)
	case status == http.StatusTooManyRequests:
		return what.Hint("try again later")
	case status >= 500:
		return what
	}
	return nil
}

func (r *remote) abort(cause error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cause == nil {
		r.cause = cause
	}
	return cause
}

func (r *remote) ended() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cause
}

func (r *remote) close() {
	if r.cancel != nil {
		r.cancel()
	}
	r.base.CloseIdleConnections()
}

// boundedBody is an answer that may not be longer than a message.
type boundedBody struct {
	io.ReadCloser
	remote *remote
	left   int
}

func (b *boundedBody) Read(buf []byte) (int, error) {
	n, err := b.ReadCloser.Read(buf)
	if b.left -= n; b.left < 0 {
		s := b.remote.server
		return 0, b.remote.abort(item.Errorf(item.TypeLimit, "the MCP server %s sent a message of more than %d bytes", s.Name, s.MaxMessage).
			Hint("raise max_message in config:%s", serversFolder+s.Name))
	}
	return n, err
}

// sayPlain takes the address, which may hold a secret, out of an error of the network.
func sayPlain(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return failed.Err
	}
	return err
}
