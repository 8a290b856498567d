package mcp

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/ryeos/rye/pkg/item"
)

// landing is where the authorization server sends the person's browser back to: a page of this process, which only this
// machine reaches.
type landing struct {
	url      string
	listener net.Listener
	server   *http.Server
}

func land() (*landing, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, item.Errorf(item.TypeUnavailable, "cannot listen for the browser: %w", err)
	}
	return &landing{url: "http://" + listener.Addr().String() + "/callback", listener: listener}, nil
}

// close stops listening. The browser gets the page that it asked for, if it takes it soon.
func (l *landing) close() {
	if l.server == nil {
		l.listener.Close()
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if l.server.Shutdown(ctx) != nil {
		l.server.Close()
	}
}

// await sends the person to a page and waits for what comes back. Only an answer with the state of this sign-in counts: any
// web page can have a browser call this one.
func (l *landing) await(ctx context.Context, page string, show func(string)) (*auth.AuthorizationResult, error) {
	asked, err := checkAddress(page)
	if err != nil {
		return nil, err
	}
	state := asked.Query().Get("state")
	back := make(chan map[string][]string, 1)
	l.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := r.URL.Query()
			if r.Method != http.MethodGet || r.URL.Path != "/callback" || r.Host != l.listener.Addr().String() || answer.Get("state") != state {
				http.Error(w, "This is not the answer that rye waits for.", http.StatusBadRequest)
				return
			}
			select {
			case back <- answer:
			default: // a page that was loaded twice
			}
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Referrer-Policy", "no-referrer")
			io.WriteString(w, "rye has the answer. You can close this page.\n")
		}),
		ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, MaxHeaderBytes: 32 << 10,
	}
	go l.server.Serve(l.listener)
	show(page)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case answer := <-back:
		return result(answer)
	}
}

func result(answer map[string][]string) (*auth.AuthorizationResult, error) {
	first := func(name string) string {
		if values := answer[name]; len(values) > 0 {
			return values[0]
		}
		return ""
	}
	if code := first("error"); code != "" {
		return nil, item.Errorf(item.TypePermission, "the authorization server refuses: %s %s", item.Quote(code), item.Quote(first("error_description")))
	}
	if first("code") == "" {
		return nil, item.Errorf(item.TypePermission, "the authorization server gave no code")
	}
	return &auth.AuthorizationResult{Code: first("code"), State: first("state"), Iss: first("iss")}, nil
}
