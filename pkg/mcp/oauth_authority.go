package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/ryeos/rye/pkg/item"
)

// authority is who gives tokens for a server, and for what.
type authority struct {
	*oauthex.AuthServerMeta
	Resource string   // the audience of the tokens
	Scopes   []string // that the server names
}

// askTime bounds one request to an authorization server.
const askTime = 20 * time.Second

// authorityClient is for requests to authorization servers. They are not followed to other hosts. The SDK looks at the
// addresses behind the names as long as it may dial itself, which a transport with a dialer of its own would keep it from.
func authorityClient() *http.Client {
	return &http.Client{
		Timeout: askTime,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
			DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if first := via[0]; len(via) > 3 || req.Method != first.Method || req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// authority finds out who gives tokens for the server, in the order that the protocol prescribes. asked are the values of
// WWW-Authenticate with which the server refused a request, none if it did not.
func (s *Server) authority(ctx context.Context, client *http.Client, asked []string) (*authority, error) {
	challenges, err := oauthex.ParseWWWAuthenticate(asked)
	if err != nil {
		return nil, s.cannotSignIn(err)
	}
	resource, found, err := s.resource(ctx, client, challenges)
	if err != nil {
		return nil, s.cannotSignIn(err)
	}
	issuer := resource.AuthorizationServers[0]
	meta, err := auth.GetAuthServerMetadata(ctx, issuer, client)
	switch {
	case err != nil:
		return nil, s.cannotSignIn(err)
	case meta == nil && !found && len(asked) == 0:
		return nil, item.Errorf(item.TypeUsage, "the MCP server %s does not ask anybody to sign in", s.Name)
	case meta == nil: // as in the protocol of March 2025
		meta = &oauthex.AuthServerMeta{Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token"}
	}
	a := &authority{AuthServerMeta: meta, Resource: resource.Resource, Scopes: resource.ScopesSupported}
	if wanted := parameter(challenges, "scope"); wanted != "" {
		a.Scopes = scopesIn(wanted)
	}
	return a, s.trusts(a)
}

// resource is what the server says of itself; found is false if it says nothing, and is its own authorization server.
func (s *Server) resource(ctx context.Context, client *http.Client, challenges []oauthex.Challenge) (_ *oauthex.ProtectedResourceMetadata, found bool, _ error) {
	home, err := url.Parse(s.URL)
	if err != nil {
		return nil, false, err
	}
	root := &url.URL{Scheme: home.Scheme, Host: home.Host}
	at := func(path string) string { u := *home; u.Path, u.RawPath = path, ""; return u.String() }
	const wellKnown = "/.well-known/oauth-protected-resource"
	named := parameter(challenges, "resource_metadata")
	for _, place := range []struct{ url, resource string }{
		{named, s.URL}, {at(wellKnown + "/" + strings.TrimLeft(home.Path, "/")), s.URL}, {at(wellKnown), root.String()},
	} {
		if place.url == "" {
			continue
		}
		meta, err := oauthex.GetProtectedResourceMetadata(ctx, place.url, place.resource, client)
		switch {
		case err != nil && place.url == named: // what the server itself points to is not passed over
			return nil, false, err
		case err != nil:
			continue
		case len(meta.AuthorizationServers) == 0:
			return nil, false, errors.New("it names no authorization server")
		}
		return meta, true, nil
	}
	return &oauthex.ProtectedResourceMetadata{AuthorizationServers: []string{root.String()}, Resource: s.URL}, false, nil
}

// trusts refuses an authorization server that the configuration does not mean, and one on this machine that a server
// elsewhere names: its requests would come from here.
func (s *Server) trusts(a *authority) error {
	if wanted := s.OAuth.Issuer; wanted != "" && strings.TrimSuffix(wanted, "/") != strings.TrimSuffix(a.Issuer, "/") {
		return s.otherIssuer(a.Issuer, wanted)
	}
	for _, place := range []string{a.Issuer, a.AuthorizationEndpoint, a.TokenEndpoint, a.RegistrationEndpoint, a.RevocationEndpoint} {
		if onThisMachine(place) && !onThisMachine(s.URL) {
			return item.Errorf(item.TypePermission, "the MCP server %s names an authorization server on this machine, %s", s.Name, item.Quote(place))
		}
	}
	return nil
}

func (s *Server) otherIssuer(found, wanted string) error {
	return item.Errorf(item.TypePermission, "the MCP server %s names the authorization server %s, but its client belongs to %s",
		s.Name, item.Quote(found), item.Quote(wanted)).
		Hint("if that is right, change oauth.issuer in config:%s, or: rye mcp logout %s", serversFolder+s.Name, item.ShellWord(s.Name))
}

func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback() || u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost")
}

// parameter is the first value of that name among the challenges for a bearer token.
func parameter(challenges []oauthex.Challenge, name string) string {
	for _, c := range challenges {
		if value := c.Params[name]; c.Scheme == "bearer" && value != "" {
			return value
		}
	}
	return ""
}

// scopesIn are the scopes in a text of the network, without what cannot be one.
func scopesIn(text string) []string {
	var scopes []string
	for _, scope := range strings.Fields(text) {
		if strings.IndexFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) < 0 {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// cannotSignIn says why nobody can sign in. What is unreachable now may be reachable later; anything else will not change.
func (s *Server) cannotSignIn(err error) error {
	var told *item.Error
	if errors.As(err, &told) {
		return told
	}
	kind := item.TypePermission
	var network net.Error
	if errors.As(err, &network) {
		kind = item.TypeUnavailable
	}
	const most = 400 // an authorization server may answer with a page
	text := Clean(sayPlain(err).Error())
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return item.Errorf(kind, "cannot sign in to the MCP server %s: %s", s.Name, text)
}
