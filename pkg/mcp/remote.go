package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
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
	bearer *bearer
	cancel context.CancelFunc // ends what is still being read

	mu    sync.Mutex
	cause error  // why the session cannot go on, if it is known better than by what the SDK says
	odd   string // the media type of the last answer, if it can hold no message
}

func newRemote(s *Server, grants Grants) (*remote, error) {
	home, err := s.address()
	if err != nil {
		return nil, err
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	base.MaxIdleConnsPerHost = base.MaxIdleConns
	return &remote{server: s, home: home, base: base, bearer: newBearer(s, grants)}, nil
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

// RoundTrip sends one request, and again if the server wants another token: then it has not done anything yet.
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != r.home.Scheme || req.URL.Host != r.home.Host {
		return nil, r.abort(item.Errorf(item.TypePermission, "the MCP server %s sends its client to another host, %s", r.server.Name, item.Quote(req.URL.Host)).
			Hint("if that is right, make it the url in config:%s", serversFolder+r.server.Name))
	}
	if unauthorized(r.ended()) { // nor for another message: the SDK takes it for a refusal of the newer protocol
		return nil, r.ended()
	}
	token, err := r.bearer.token(req.Context())
	if err != nil {
		return nil, r.tokenless(req, err)
	}
	resp, err := r.send(req, token)
	if err != nil {
		return nil, err
	}
	switch token, err = r.bearer.another(req.Context(), token, resp); {
	case err != nil:
		resp.Body.Close()
		return nil, r.tokenless(req, err)
	case token != "" && (req.Body == nil || req.GetBody != nil):
		resp.Body.Close()
		if resp, err = r.send(req, token); err != nil {
			return nil, err
		}
	}
	if req.Method != http.MethodDelete { // the farewell, which would hide why it is said
		r.mu.Lock()
		r.cause = r.refused(resp) // an old server may refuse the probe of the newer protocol in any way
		r.odd = oddType(resp)
		r.mu.Unlock()
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") { // whose events are bounded one by one
		resp.Body = &boundedBody{ReadCloser: resp.Body, remote: r, left: r.server.MaxMessage}
	}
	return resp, nil
}

// send sends a request as the server's configuration and the token have it.
func (r *remote) send(req *http.Request, token string) (*http.Response, error) {
	sent := req.Clone(req.Context())
	if req.GetBody != nil {
		var err error
		if sent.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	for name, value := range r.server.Headers {
		if !ownHeader(name) {
			sent.Header.Set(name, value)
		}
	}
	if token != "" {
		sent.Header.Set("Authorization", "Bearer "+token)
	}
	return r.base.RoundTrip(sent)
}

// ownHeader reports whether a header is part of the protocol and so not the configuration's.
func ownHeader(name string) bool {
	name = http.CanonicalHeaderKey(name)
	return name == "Content-Type" || name == "Accept" || name == "Content-Length" || strings.HasPrefix(name, "Mcp-")
}

// refused is the error of a status that no other message makes up for.
func (r *remote) refused(resp *http.Response) error {
	status := resp.StatusCode
	if status < 400 {
		return nil
	}
	what := item.Errorf(item.TypeUnavailable, "the MCP server %s answers %d %s", r.server.Name, status, http.StatusText(status))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return r.server.refused(resp)
	case status == http.StatusTooManyRequests:
		return what.Hint("try again later")
	case status >= 500:
		return what
	}
	return nil
}

// oddType is the media type of an answer that can hold no message. To what needs no answer a server may say anything.
func oddType(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || resp.StatusCode != http.StatusOK || kind == "application/json" || kind == "text/event-stream" {
		return ""
	}
	return kind
}

// broken is the error of a session for which the SDK has no better words than err. Which of its own it finds for an answer
// that is no message is a matter of chance.
func (r *remote) broken(err error) *item.Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.odd != "" {
		return item.Errorf(item.TypeUnavailable, "the MCP server %s answers with %s, which is no MCP message", r.server.Name, item.Quote(r.odd)).
			Hint("check the url in config:%s", serversFolder+r.server.Name)
	}
	return item.Errorf(item.TypeUnavailable, "the MCP server %s: %w", r.server.Name, sayPlain(err))
}

// tokenless is the error of a request that gets no token. One that nobody waits for any more says nothing about the session.
func (r *remote) tokenless(req *http.Request, err error) error {
	if req.Context().Err() != nil {
		return err
	}
	return r.abort(err)
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
