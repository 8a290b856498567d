package mcp

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// The ways to get a token.
const (
	AuthorizationCode = "authorization_code" // a person allows it in a browser
	ClientCredentials = "client_credentials" // the client has a secret of its own
)

// OAuth is what the configuration of a server says about signing in. Nothing of it is needed where the authorization server
// registers clients by itself.
type OAuth struct {
	ClientID     string // that of a registered client, or the https address of a client's metadata document
	ClientSecret string
	Issuer       string   // the authorization server that the client belongs to; "" is the first one that the server names
	Scopes       []string // to ask for, instead of those that the server names
	Grant        string   // AuthorizationCode or ClientCredentials
}

func (r *reader) oauth(key string) OAuth {
	o := OAuth{Grant: AuthorizationCode}
	v, ok := r.from.Get(key)
	if !ok || v == nil {
		return o
	}
	object, ok := v.(*item.Object)
	if !ok {
		r.fail("%s must be a mapping", key)
		return o
	}
	below := &reader{from: object}
	o.ClientID, o.ClientSecret, o.Issuer = below.text("client_id"), below.text("client_secret"), below.text("issuer")
	o.Scopes = below.texts("scopes")
	if grant := below.text("grant"); grant != "" {
		o.Grant = grant
	}
	if below.err != nil {
		r.fail("%s: %w", key, below.err)
	}
	return o
}

// given reports whether the configuration says anything.
func (o OAuth) given() bool {
	return o.ClientID != "" || o.ClientSecret != "" || o.Issuer != "" || len(o.Scopes) > 0 || o.Grant == ClientCredentials
}

// document reports whether the client's id is the address of its metadata document.
func (o OAuth) document() bool {
	u, err := url.Parse(o.ClientID)
	return err == nil && u.Scheme == "https" && strings.Trim(u.Path, "/") != "" && o.ClientSecret == ""
}

func (o OAuth) settle() error {
	switch {
	case o.Grant != AuthorizationCode && o.Grant != ClientCredentials && o.Grant != "":
		return item.Usagef("Unknown oauth.grant: %s (%s or %s)", item.Quote(o.Grant), AuthorizationCode, ClientCredentials)
	case o.Grant == ClientCredentials && (o.ClientID == "" || o.ClientSecret == ""):
		return item.Usagef("oauth.grant %s needs client_id and client_secret", ClientCredentials)
	case o.ClientSecret != "" && o.ClientID == "":
		return item.Usagef("oauth.client_secret needs client_id")
	}
	return nil
}

// signsIn reports whether the server is one that OAuth can be used with: what the configuration gives as a header counts.
func (s *Server) signsIn() bool {
	for name := range s.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return false
		}
	}
	return s.Remote()
}

// UnauthorizedError is the cause of the error of a server that wants to know who calls. Challenges are the values of its
// header WWW-Authenticate.
type UnauthorizedError struct{ Challenges []string }

func (e *UnauthorizedError) Error() string { return "not signed in" }

func unauthorized(err error) bool {
	_, ok := errors.AsType[*UnauthorizedError](err)
	return ok
}
