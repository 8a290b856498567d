package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// fakeItems has an item that hangs until its call ends.
type fakeItems struct {
	begun chan string
	ended chan error
}

func newFakeItems() *fakeItems {
	return &fakeItems{make(chan string, 100), make(chan error, 100)}
}

func (f *fakeItems) Execute(ctx context.Context, call mcp.ExecuteCall, _ *mcp.Activity) mcp.Answer {
	f.begun <- call.ItemID
	if call.ItemID == "tool:hang" {
		<-ctx.Done()
		f.ended <- context.Cause(ctx)
		return mcp.ErrorAnswer(call.ItemID, item.Errorf(item.TypeInterrupted, "interrupted"))
	}
	return mcp.Answer{Document: []byte(`{"status":"success"}`)}
}

func (f *fakeItems) Fetch(context.Context, mcp.FetchCall) mcp.Answer {
	return mcp.Answer{Document: []byte(`{"status":"success"}`)}
}

func (f *fakeItems) Sign(context.Context, mcp.SignCall) mcp.Answer {
	return mcp.Answer{Document: []byte(`{"status":"success"}`)}
}

const token = "a-token-that-only-tests-know"

// website serves fake items over HTTP until the test ends.
func website(t *testing.T, items mcp.Items, o mcp.ServeOptions) (url string) {
	t.Helper()
	listener, err := mcp.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- mcp.ServeHTTP(ctx, items, o, listener, token) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return "http://" + listener.Addr().String() + mcp.ServePath
}

// post is a request as the newer protocol has it.
func post(t *testing.T, ctx context.Context, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "execute",
	} {
		req.Header.Set(name, value)
	}
	return req
}

func calling(item string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":{"item_id":%q},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`, item)
}

// TestServeGuard: only who knows the token and is on this machine is served; a web page in a browser here is not.
func TestServeGuard(t *testing.T) {
	url := website(t, newFakeItems(), mcp.ServeOptions{})
	for name, tt := range map[string]struct {
		change func(r *http.Request)
		want   int
	}{
		"right":            {func(r *http.Request) {}, 200},
		"own origin":       {func(r *http.Request) { r.Header.Set("Origin", "http://localhost:6274") }, 200},
		"localhost":        {func(r *http.Request) { r.Host = "localhost:1" }, 200},
		"IPv6":             {func(r *http.Request) { r.Host = "[::1]:1" }, 200},
		"no token":         {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"wrong token":      {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, 401},
		"part of token":    {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token[:8]) }, 401},
		"basic":            {func(r *http.Request) { r.SetBasicAuth("owner", token) }, 401},
		"in the query":     {func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "access_token=" + token }, 401},
		"rebound name":     {func(r *http.Request) { r.Host = "evil.example.com" }, 403},
		"rebound own name": {func(r *http.Request) { r.Host = "127.0.0.1.evil.example.com" }, 403},
		"no name":          {func(r *http.Request) { r.Host = " " }, 403},
		"foreign page":     {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example.com") }, 403},
		"like ours":        {func(r *http.Request) { r.Header.Set("Origin", "http://localhost.evil.example.com") }, 403},
		"sandboxed page":   {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"preflight": {func(r *http.Request) {
			r.Method = http.MethodOptions
			r.Header.Del("Authorization")
			r.Header.Set("Origin", "http://localhost:1")
		}, 401},
		"other path":    {func(r *http.Request) { r.URL.Path = "/" }, 404},
		"other version": {func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", "2030-01-01") }, 400},
		"other name":    {func(r *http.Request) { r.Header.Set("Mcp-Name", "fetch") }, 400},
		"too long": {func(r *http.Request) {
			r.Body = io.NopCloser(io.LimitReader(spaces{}, mcp.MaxRequest+1))
			r.ContentLength = -1
		}, 413},
	} {
		req := post(t, t.Context(), url, calling("tool:x"))
		tt.change(req)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s: got %d %s, want %d", name, resp.StatusCode, body, tt.want)
		}
		if asks := resp.Header.Get("WWW-Authenticate") != ""; asks != (tt.want == 401) || strings.Contains(string(body), token) {
			t.Errorf("%s: asks for a token: %t, and says %s", name, asks, body)
		}
	}
}

// spaces is an endless reader.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestServeHangUp: a call ends when its client hangs up, in each era: nobody could be given the answer.
func TestServeHangUp(t *testing.T) {
	items := newFakeItems()
	url := website(t, items, mcp.ServeOptions{})
	for name, prepare := range map[string]func(*http.Request){
		"new": func(*http.Request) {},
		"old": func(r *http.Request) {
			hello := post(t, t.Context(), url, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
			hello.Header.Del("Mcp-Protocol-Version")
			resp, err := http.DefaultTransport.RoundTrip(hello)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
			r.Header.Set("Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id"))
			r.Body = io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":{"item_id":"tool:hang"}}}`))
			r.ContentLength = -1
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hangUp := context.WithCancel(t.Context())
			req := post(t, ctx, url, calling("tool:hang"))
			prepare(req)
			go func() {
				if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
					io.Copy(io.Discard, resp.Body)
				}
			}()
			await(t, items.begun)
			hangUp()
			await(t, items.ended)
		})
	}
}

// await takes from a channel, within a bound that no machine needs.
func await[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(30 * time.Second):
		t.Fatal("nothing has happened")
	}
	return v
}

// TestServeConcurrent: no more items run at a time than are allowed, the others wait, and a search waits for none of them.
func TestServeConcurrent(t *testing.T) {
	items := newFakeItems()
	url := website(t, items, mcp.ServeOptions{Concurrent: 2})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	send := func(body string) {
		all.Go(func() {
			req := post(t, ctx, url, body)
			if strings.Contains(body, `"fetch"`) {
				req.Header.Set("Mcp-Name", "fetch")
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	for range 5 {
		send(calling("tool:hang"))
	}
	await(t, items.begun)
	await(t, items.begun)
	fetch := post(t, t.Context(), url, strings.NewReplacer(`"execute"`, `"fetch"`).Replace(calling("tool:x")))
	fetch.Header.Set("Mcp-Name", "fetch")
	resp, err := http.DefaultTransport.RoundTrip(fetch)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("a search: %v, %v", resp, err)
	}
	resp.Body.Close()
	if len(items.begun) > 0 {
		t.Error("three items run at a time")
	}
	cancel()
	all.Wait()
}

// TestListen: an address that other machines reach is refused.
func TestListen(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, "127.1.2.3:0": true,
		"0.0.0.0:0": false, ":0": false, "[::]:0": false, "192.0.2.1:0": false, "example.com:0": false, "7777": false, "": false,
	} {
		listener, err := mcp.Listen(address)
		if err == nil {
			if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
				t.Errorf("%s is opened as %s", address, listener.Addr())
			}
			listener.Close()
		}
		if (err == nil) != ok || err != nil && item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%s: %v", address, err)
		}
	}
}
