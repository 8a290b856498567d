package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/ryeos/rye/pkg/item"
)

// TestTrusts: a server elsewhere cannot have rye call a service on this machine, and none can exchange the issuer.
func TestTrusts(t *testing.T) {
	for _, c := range []struct {
		server, issuer, token, wanted string
		trusted                       bool
	}{
		{"https://tools.example/mcp", "https://login.example", "https://login.example/token", "", true},
		{"https://tools.example/mcp", "https://login.example", "https://login.example/token", "https://login.example/", true},
		{"https://tools.example/mcp", "https://login.example", "https://login.example/token", "https://other.example", false},
		{"https://tools.example/mcp", "http://localhost:8080", "http://localhost:8080/token", "", false},
		{"https://tools.example/mcp", "https://login.example", "http://[::1]:9/token", "", false},
		{"https://tools.example/mcp", "https://login.example", "http://[::ffff:127.0.0.1]/token", "", false},
		{"http://127.0.0.1:7/mcp", "http://localhost:8080", "http://127.8.9.1:8080/token", "", true},
	} {
		s := &Server{Name: "far", URL: c.server, OAuth: OAuth{Issuer: c.wanted}}
		err := s.trusts(&authority{AuthServerMeta: &oauthex.AuthServerMeta{Issuer: c.issuer, TokenEndpoint: c.token}})
		if (err == nil) != c.trusted || err != nil && item.TypeOf(err) != item.TypePermission {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestAuthorityRedirect: an authorization server cannot pass a request on to another.
func TestAuthorityRedirect(t *testing.T) {
	var reached bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	resp, err := authorityClient().Post(first.URL, "text/plain", strings.NewReader("secret"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if reached || resp.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("the other was reached: %v, %s", reached, resp.Status)
	}
}

// TestCheckAddress: a browser is sent to web pages only.
func TestCheckAddress(t *testing.T) {
	for address, good := range map[string]bool{
		"https://login.example/authorize?x=y": true, "http://127.0.0.1:8080/authorize": true, "http://localhost/a": true,
		"http://login.example/authorize": false, "javascript:alert(1)": false, "file:///etc/passwd": false, "https:///x": false, "-x": false,
	} {
		if _, err := checkAddress(address); (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
}
