package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// remoteServer is the configuration of a server at this address.
func remoteServer(transport, url string) *mcp.Server {
	return &mcp.Server{
		Name: "far", Transport: transport, URL: url, Headers: map[string]string{"Authorization": "Bearer s3cr3t-canary", "Mcp-Session-Id": "mine"},
		Timeout: 2 * time.Second, StartTimeout: 2 * time.Second, MaxMessage: 1 << 20,
	}
}

// good is a server of the SDK with the tool echo.
func good() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "good", Version: "1"}, nil)
	type arguments struct {
		Text string `json:"text"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "echo", Description: "Gives a text back"},
		func(_ context.Context, _ *sdk.CallToolRequest, a arguments) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "echo: " + a.Text}}}, nil, nil
		})
	return server
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// TestRemoteTransports calls a tool over each transport of the network, and finds the configured headers in every request.
func TestRemoteTransports(t *testing.T) {
	for name, handler := range map[string]http.Handler{
		mcp.HTTP:           sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return good() }, nil),
		mcp.HTTP + " JSON": sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return good() }, &sdk.StreamableHTTPOptions{JSONResponse: true}),
		mcp.SSE:            sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return good() }, nil),
	} {
		t.Run(name, func(t *testing.T) {
			var without atomic.Int32
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer s3cr3t-canary" || r.Header.Get("Mcp-Session-Id") == "mine" {
					without.Add(1)
				}
				handler.ServeHTTP(w, r)
			}))
			session := open(t, remoteServer(strings.Fields(name)[0], url))
			for i := range 3 {
				mustCall(t, session, fmt.Sprint(i))
			}
			if n := without.Load(); n > 0 {
				t.Errorf("%d requests had other headers", n)
			}
		})
	}
}

// TestBothEras: the newest protocol is agreed on with who speaks it, and an older one with who does not.
func TestBothEras(t *testing.T) {
	url := serve(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return good() }, &sdk.StreamableHTTPOptions{Stateless: true}))
	old := remoteServer(mcp.HTTP, url)
	old.Protocol = "2025-06-18"
	for want, s := range map[string]*mcp.Server{"2026-07-28": remoteServer(mcp.HTTP, url), "2025-06-18": old} {
		session := open(t, s)
		info, err := session.Info(t.Context())
		if err != nil || info.Protocol != want || info.Name != "good" {
			t.Errorf("got %+v, %v, want the protocol %s", info, err, want)
		}
		mustCall(t, session, want)
	}
	info, err := open(t, hostile(t)).Info(t.Context())
	if err != nil || info.Protocol != "2025-06-18" {
		t.Errorf("a server of the older protocol: %+v, %v", info, err)
	}
}

// TestForgottenSession: a server that has forgotten the session is told of it anew, once, and the call goes through.
func TestForgottenSession(t *testing.T) {
	handler := func() http.Handler {
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return good() }, nil)
	}
	var current atomic.Value
	current.Store(handler())
	var begun atomic.Int32
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
			begun.Add(1)
		}
		current.Load().(http.Handler).ServeHTTP(w, r)
	}))
	s := remoteServer(mcp.HTTP, url)
	s.Protocol = "2025-06-18"
	session := open(t, s)
	mustCall(t, session, "before")
	current.Store(handler()) // it knows no session
	mustCall(t, session, "after")
	if n := begun.Load(); n != 2 {
		t.Errorf("%d sessions were begun, want 2", n)
	}
}

// TestHostileRemote has a server answer in the ways in which servers of the network go wrong.
func TestHostileRemote(t *testing.T) {
	elsewhere := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked, with the header %q", r.Header.Get("Authorization"))
	}))
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) }
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    item.ErrorType
		says    string
	}{
		"404": {status(404), item.TypeUnavailable, "Not Found"},
		"500": {status(500), item.TypeUnavailable, "500"},
		"429": {status(429), item.TypeUnavailable, "429"},
		"401": {status(401), item.TypePermission, "401"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		}, item.TypePermission, "another host"},
		"redirect that forgets the message": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, http.StatusFound) }, item.TypeUnavailable, ""},
		"no JSON":                           {func(w http.ResponseWriter, _ *http.Request) { say(w, "application/json", "<html>") }, item.TypeUnavailable, ""},
		"web page":                          {func(w http.ResponseWriter, _ *http.Request) { say(w, "text/html", "<html>") }, item.TypeUnavailable, "text/html"},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 64 {
				io.WriteString(w, strings.Repeat(" ", 1<<20))
			}
		}, item.TypeLimit, "more than 1048576 bytes"},
		"huge event": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: ")
			for range 64 {
				io.WriteString(w, strings.Repeat("x", 1<<20))
			}
		}, item.TypeUnavailable, "exceeded"},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.Copy(io.Discard, r.Body)
			for {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		}, item.TypeTimeout, "2s"},
		"silence": {func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // only then is it noticed that the client has left
			<-r.Context().Done()
		}, item.TypeTimeout, "2s"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		}, item.TypeUnavailable, ""},
	} {
		for _, transport := range []string{mcp.HTTP, mcp.SSE} {
			t.Run(transport+" "+name, func(t *testing.T) {
				s := remoteServer(transport, serve(t, test.handler))
				started := time.Now()
				_, err := open(t, s).Call(t.Context(), "echo", echo("x"))
				want := test.want
				if transport == mcp.SSE && strings.HasPrefix(name, "redirect") {
					want = item.TypePermission // it begins with a GET, which can go anywhere
				}
				failure := mustFail(t, err, want)
				if transport == mcp.HTTP && !strings.Contains(failure.Message, test.says) {
					t.Errorf("%q is not in: %s", test.says, failure.Message)
				}
				if strings.Contains(failure.Message, "s3cr3t") || strings.Contains(failure.Message, s.URL) {
					t.Errorf("the message shows the address or a header: %s", failure.Message)
				}
				if took := time.Since(started); took > 6*time.Second {
					t.Errorf("took %v", took)
				}
			})
		}
	}
}

func say(w http.ResponseWriter, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	io.WriteString(w, body)
}
