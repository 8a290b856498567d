package mcp_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/mcptest"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// memory keeps grants as long as the test.
type memory struct {
	change, mu sync.Mutex
	grants     map[string]mcp.Grant
}

func (m *memory) Load(server string) (*mcp.Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g, ok := m.grants[server]; ok {
		return &g, nil
	}
	return nil, nil
}

func (m *memory) Update(_ context.Context, server string, change func(*mcp.Grant) (*mcp.Grant, error)) error {
	m.change.Lock()
	defer m.change.Unlock()
	before, _ := m.Load(server)
	after, err := change(before)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.grants == nil {
		m.grants = map[string]mcp.Grant{}
	}
	delete(m.grants, server)
	if after != nil {
		m.grants[server] = *after
	}
	return nil
}

// signInServer is the configuration of an authority's MCP server.
func signInServer(a *mcptest.Authority) *mcp.Server {
	s := remoteServer(mcp.HTTP, a.Server())
	s.Headers = nil
	return s
}

// signIn opens the page that Login shows, as a browser does.
func signIn(t *testing.T, s *mcp.Server, grants mcp.Grants, scopes ...string) (*mcp.Grant, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	return mcp.Login(ctx, s, mcp.LoginOptions{Grants: grants, Scopes: scopes, Show: func(page string) { go visit(page) }})
}

func visit(page string) {
	if resp, err := http.Get(page); err == nil {
		resp.Body.Close()
	}
}

func mustSignIn(t *testing.T, s *mcp.Server, grants mcp.Grants, scopes ...string) *mcp.Grant {
	t.Helper()
	g, err := signIn(t, s, grants, scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// guarded begins a session that has the grants.
func guarded(t *testing.T, s *mcp.Server, grants mcp.Grants) *mcp.Session {
	session := mcp.NewSession(s, mcp.Options{Grants: grants})
	t.Cleanup(session.Close)
	return session
}

// mustHint requires an error that says how to sign in.
func mustHint(t *testing.T, err error, hint string) {
	t.Helper()
	if e := mustFail(t, err, item.TypePermission); !slices.Contains(e.Hints, hint) {
		t.Fatalf("%v has the hints %q, want %q", err, e.Hints, hint)
	}
}

// TestLogin: who is not signed in is told how; after it, calls go through, and the tokens are for that server.
func TestLogin(t *testing.T) {
	a, grants := mcptest.NewAuthority(t), &memory{}
	s := signInServer(a)
	_, err := guarded(t, s, grants).Call(t.Context(), "echo", echo("x"))
	mustHint(t, err, "rye mcp login far")
	g := mustSignIn(t, s, grants)
	if g.Issuer != a.URL || g.Resource != a.Server() || g.Server != a.Server() || !slices.Equal(g.Scopes, []string{"read"}) || g.ClientSecret != "" {
		t.Errorf("the grant is %+v", g)
	}
	mustCall(t, guarded(t, s, grants), "x")
	if a.Registered != 1 || !slices.Equal(a.Audiences, []string{a.Server()}) {
		t.Errorf("%d registrations, tokens for %q", a.Registered, a.Audiences)
	}
}

// TestLoginRefused: an answer that is not from the authorization server that was asked, or not for this sign-in, gives no
// token.
func TestLoginRefused(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(a *mcptest.Authority)
		want string
	}{
		"another issuer":   {func(a *mcptest.Authority) { a.Iss = "https://elsewhere.example" }, "does not match expected issuer"},
		"no issuer":        {func(a *mcptest.Authority) { a.NoIss = true }, "iss parameter"},
		"denied":           {func(a *mcptest.Authority) { a.Deny = true }, "access_denied"},
		"another resource": {func(a *mcptest.Authority) { a.Resource = "https://elsewhere.example/mcp" }, "elsewhere.example"},
		"another type":     {func(a *mcptest.Authority) { a.TokenType = "DPoP" }, "DPoP"},
		"no https":         {func(a *mcptest.Authority) { a.Issuer = "http://elsewhere.example" }, "HTTPS"},
		"a script":         {func(a *mcptest.Authority) { a.Issuer = "javascript:alert(1)" }, "javascript"},
	} {
		t.Run(name, func(t *testing.T) {
			a, grants := mcptest.NewAuthority(t), &memory{}
			c.set(a)
			_, err := signIn(t, signInServer(a), grants)
			if e := mustFail(t, err, item.TypePermission); !strings.Contains(e.Message, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if g, _ := grants.Load(a.Server()); g != nil {
				t.Errorf("there is a grant: %+v", g)
			}
		})
	}
}

// TestLoginWrongState: an answer for another sign-in does not count, and does not end this one.
func TestLoginWrongState(t *testing.T) {
	a, grants := mcptest.NewAuthority(t), &memory{}
	a.State = "another"
	late := item.Errorf(item.TypeTimeout, "nobody came")
	ctx, stop := context.WithTimeoutCause(t.Context(), 10*time.Second, late)
	defer stop()
	_, err := mcp.Login(ctx, signInServer(a), mcp.LoginOptions{Grants: grants, Show: func(page string) {
		go func() {
			visit(page)
			a.Lock()
			a.State = ""
			a.Unlock()
			visit(page)
		}()
	}})
	if err != nil || len(a.Audiences) != 1 {
		t.Errorf("%v, %d requests for tokens", err, len(a.Audiences))
	}
}

// TestLoginEnds: nobody waits for ever for a person.
func TestLoginEnds(t *testing.T) {
	a := mcptest.NewAuthority(t)
	late := item.Errorf(item.TypeTimeout, "nobody came")
	ctx, stop := context.WithTimeoutCause(t.Context(), time.Second, late)
	defer stop()
	_, err := mcp.Login(ctx, signInServer(a), mcp.LoginOptions{Grants: &memory{}, Show: func(string) {}})
	mustFail(t, err, item.TypeTimeout)
	ctx, interrupt := context.WithCancel(t.Context())
	_, err = mcp.Login(ctx, signInServer(a), mcp.LoginOptions{Grants: &memory{}, Show: func(string) { interrupt() }})
	mustFail(t, err, item.TypeInterrupted)
}

// TestStepUp: what the sign-in does not cover is named; signing in for it keeps what was granted before.
func TestStepUp(t *testing.T) {
	a, grants := mcptest.NewAuthority(t), &memory{}
	s := signInServer(a)
	mustSignIn(t, s, grants)
	_, err := guarded(t, s, grants).Call(t.Context(), "write", echo("x"))
	mustHint(t, err, "rye mcp login far --scope write")
	g := mustSignIn(t, s, grants, "write")
	if !slices.Equal(g.Scopes, []string{"read", "write"}) && !slices.Equal(g.Scopes, []string{"write", "read"}) {
		t.Errorf("the scopes are %q", g.Scopes)
	}
	if answer, err := guarded(t, s, grants).Call(t.Context(), "write", echo("x")); err != nil || answer.Text != "write: x" {
		t.Errorf("%v, %v", answer, err)
	}
}

// TestClientCredentials: a client with a secret needs nobody, also for another token and more scopes; but its secret goes to
// no other authorization server.
func TestClientCredentials(t *testing.T) {
	a, grants := mcptest.NewAuthority(t), &memory{}
	s := signInServer(a)
	s.OAuth.Grant = mcp.ClientCredentials
	s.OAuth.ClientID, s.OAuth.ClientSecret = a.Client()
	session := guarded(t, s, grants)
	mustCall(t, session, "first")
	a.End()
	mustCall(t, session, "second")
	if answer, err := session.Call(t.Context(), "write", echo("x")); err != nil || answer.Text != "write: x" {
		t.Errorf("%v, %v", answer, err)
	}
	if len(a.Audiences) != 3 || slices.Contains(a.Audiences, "") {
		t.Errorf("tokens for %q", a.Audiences)
	}
	other := mcptest.NewAuthority(t)
	a.End()
	a.Issuer = other.URL
	_, err := guarded(t, s, grants).Call(t.Context(), "echo", echo("x"))
	if e := mustFail(t, err, item.TypePermission); !strings.Contains(e.Message, other.URL) || len(other.Audiences) > 0 {
		t.Errorf("got %v, with %d requests to the other", err, len(other.Audiences))
	}
}
