package mcp_test

import (
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

// TestRefresh: a token that has expired, or that the server does not take any more, is renewed once for all who need it.
func TestRefresh(t *testing.T) {
	for name, spoil := range map[string]func(*mcptest.Authority, *memory){
		"expired": func(a *mcptest.Authority, m *memory) {
			m.Update(t.Context(), a.Server(), func(g *mcp.Grant) (*mcp.Grant, error) { g.Expiry = time.Now().Add(-time.Minute); return g, nil })
		},
		"taken back": func(a *mcptest.Authority, _ *memory) { a.End() },
	} {
		t.Run(name, func(t *testing.T) {
			a, grants := mcptest.NewAuthority(t), &memory{}
			s := signInServer(a)
			mustSignIn(t, s, grants)
			spoil(a, grants)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() { // each in a session of its own, as a process would have it
					if answer, err := guarded(t, s, grants).Call(t.Context(), "echo", echo("x")); err != nil || answer.Text != "echo: x" {
						t.Errorf("%v, %v", answer, err)
					}
				})
			}
			all.Wait()
			if a.Refreshed != 1 || a.Called != 4 || slices.Contains(a.Audiences, "") {
				t.Errorf("%d refreshes, %d calls, tokens for %q", a.Refreshed, a.Called, a.Audiences)
			}
		})
	}
}

// TestRefreshRefused: when the authorization server has ended the sign-in, the person must sign in anew, and nobody asks again.
func TestRefreshRefused(t *testing.T) {
	a, grants := mcptest.NewAuthority(t), &memory{}
	s := signInServer(a)
	mustSignIn(t, s, grants)
	session := guarded(t, s, grants)
	mustCall(t, session, "before")
	a.End()
	a.RefuseRefresh = true
	_, err := session.Call(t.Context(), "echo", echo("x"))
	mustHint(t, err, "rye mcp login far")
	if !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("got %v", err)
	}
	_, err = session.Call(t.Context(), "echo", echo("x"))
	mustHint(t, err, "rye mcp login far")
	if a.Refreshed != 1 || a.Called != 1 {
		t.Errorf("%d refreshes, %d calls", a.Refreshed, a.Called)
	}
	mustSignIn(t, s, grants)
	mustCall(t, session, "after")
}

// TestRefreshType: a token that is of use only with a proof is not taken for one that is of use alone.
func TestRefreshType(t *testing.T) {
	a, grants := mcptest.NewAuthority(t), &memory{}
	s := signInServer(a)
	mustSignIn(t, s, grants)
	a.End()
	a.TokenType = "DPoP"
	_, err := guarded(t, s, grants).Call(t.Context(), "echo", echo("x"))
	if e := mustFail(t, err, item.TypePermission); !strings.Contains(e.Message, "DPoP") || a.Called != 0 {
		t.Errorf("%v, %d calls", err, a.Called)
	}
}

// TestTokenStays: a token goes to no other host.
func TestTokenStays(t *testing.T) {
	var got string
	elsewhere := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }))
	away := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
	}))
	s := remoteServer(mcp.HTTP, away)
	s.Headers = nil
	grants := &memory{grants: map[string]mcp.Grant{away: {Server: away, AccessToken: "s3cr3t-canary"}}}
	_, err := guarded(t, s, grants).Call(t.Context(), "echo", echo("x"))
	if mustFail(t, err, item.TypePermission); got != "" {
		t.Errorf("the other host got %q", got)
	}
}

// TestHeaderCounts: a header of the configuration counts before a sign-in.
func TestHeaderCounts(t *testing.T) {
	a := mcptest.NewAuthority(t)
	s := remoteServer(mcp.HTTP, a.Server())
	_, err := guarded(t, s, &memory{}).Call(t.Context(), "echo", echo("x"))
	mustHint(t, err, "check the headers in config:mcp/servers/far")
	_, err = signIn(t, s, &memory{})
	mustFail(t, err, item.TypeUsage)
}
