package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
)

// ServePath is where the server is on its address.
const ServePath = "/mcp"

const (
	headerTime  = 10 * time.Second // for the headers of a request to arrive
	bodyTime    = 30 * time.Second // for its body
	idleSession = time.Hour        // until a session that nobody uses is forgotten
)

// scope is what the token allows: everything.
const scope = "rye"

// Listen opens an address of this machine that others cannot reach.
func Listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, item.Usagef("%s is no address with a port", item.Quote(address)).Hint("--http 127.0.0.1:0 takes any free port")
	}
	if host == "localhost" {
		host = "127.0.0.1" // whatever else a resolver believes
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, item.Usagef("%s can be reached from other machines; rye is served on loopback only", item.Quote(address)).
			Hint("--http 127.0.0.1:%s, and a tunnel for others, as ssh -L makes one", port)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, item.Errorf(item.TypeUnavailable, "cannot listen: %w", err).Hint("--http 127.0.0.1:0 takes any free port")
	}
	return listener, nil
}

// ServeHTTP serves streamable HTTP to those who know the token, until ctx ends. Then nothing of what they have called runs
// any more.
func ServeHTTP(ctx context.Context, items Items, o ServeOptions, listener net.Listener, token string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h := newHost(ctx, items, o)
	mux := http.NewServeMux()
	mux.Handle(ServePath, guard(auth.RequireBearerToken(knows(token), &auth.RequireBearerTokenOptions{
		Scopes: []string{scope}, AllowMissingExpiration: true,
	})(h.eras())))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	cancel(errors.New("the server ends"))
	h.finish(func() { h.leave(server) })
	server.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// leave lets answers be read.
func (h *host) leave(server *http.Server) {
	for session := range h.server.Sessions() {
		session.Close() // else the streams of their events would stay open
	}
	server.Shutdown(context.Background())
}

// eras serves the protocol as it was with sessions, and as it is since 2026-07-28 without.
func (h *host) eras() http.Handler {
	server := func(*http.Request) *sdk.Server { return h.server }
	sessions := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{MaxRequestBodyBytes: MaxRequest, SessionTimeout: idleSession})
	single := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{MaxRequestBodyBytes: MaxRequest, Stateless: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			sessions.ServeHTTP(w, r)
			return
		}
		body, err := readBody(w, r)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.Header.Get("Mcp-Session-Id") != "" || r.Header.Get("Mcp-Protocol-Version") < stateless && begins(body) {
			sessions.ServeHTTP(w, r)
			return
		}
		single.ServeHTTP(w, r)
	})
}

// stateless is the first version of the protocol without sessions.
const stateless = "2026-07-28"

// begins reports whether a message asks for a session.
func begins(body []byte) bool {
	var message struct {
		Method string `json:"method"`
	}
	return json.Unmarshal(body, &message) == nil && message.Method == "initialize"
}

// readBody reads what a client has to send within a bound and in time, and answers if it cannot.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	control.SetReadDeadline(time.Time{}) // it would end the call, too
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		http.Error(w, "the message is too long", http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, "the message did not arrive", http.StatusRequestTimeout)
	}
	return body, err
}

// guard refuses what a web page may make a browser send: its names for this machine are not ours, and it says where it is
// from.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		from, err := url.Parse(origin)
		if !isLoopback(r.Host) || origin != "" && (err != nil || !isLoopback(from.Host)) {
			http.Error(w, "requests come from this machine, and under its own name", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isLoopback(hostport string) bool {
	name := (&url.URL{Host: hostport}).Hostname()
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// knows verifies the token, in the same time whatever was guessed right of it. What it leaves with the request lets its
// calls end when the client hangs up.
func knows(token string) auth.TokenVerifier {
	want := sha256.Sum256([]byte(token))
	return func(ctx context.Context, given string, _ *http.Request) (*auth.TokenInfo, error) {
		got := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{Scopes: []string{scope}, UserID: "owner", Extra: map[string]any{requestKey: ctx}}, nil
	}
}

const requestKey = "request"

// requestOf is the HTTP request that brought a call: its context ends when the client hangs up. Nothing can bring it the
// answer then.
func requestOf(req *sdk.CallToolRequest) context.Context {
	if req.Extra != nil && req.Extra.TokenInfo != nil {
		if ctx, ok := req.Extra.TokenInfo.Extra[requestKey].(context.Context); ok {
			return ctx
		}
	}
	return context.Background()
}
