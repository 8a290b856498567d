package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/ryeos/rye/pkg/item"
)

// LoginOptions are what signing in needs to know about the world.
type LoginOptions struct {
	Grants Grants
	Scopes []string         // beside those that the server names
	Show   func(url string) // tells the person where to allow it
	Self   string           // the version of rye
	Redact func(text string) string
}

// Login gets a grant for a server whose variables are expanded, and keeps it. Unless the client has a secret for that, a
// person must allow it before ctx ends.
func Login(ctx context.Context, s *Server, o LoginOptions) (*Grant, error) {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	grant, err := signIn(ctx, s, o)
	if err != nil && ctx.Err() != nil {
		return nil, interrupted(ctx)
	}
	if told, ok := errors.AsType[*item.Error](err); ok {
		e := *told
		e.Message = o.Redact(e.Message)
		return nil, &e
	}
	return grant, err
}

func signIn(ctx context.Context, s *Server, o LoginOptions) (*Grant, error) {
	if !s.Remote() {
		return nil, item.Usagef("the MCP server %s is a program: there is nowhere to sign in", s.Name)
	}
	if !s.signsIn() {
		return nil, item.Usagef("config:%s gives an Authorization header, which counts before a sign-in", serversFolder+s.Name)
	}
	asked, err := s.challenge(ctx, o)
	if err != nil {
		return nil, err
	}
	if s.OAuth.Grant == ClientCredentials {
		return s.earn(ctx, authorityClient(), o.Grants, asked, o.Scopes)
	}
	before, err := o.Grants.Load(s.URL)
	if err != nil {
		return nil, err
	}
	l := &login{server: s, options: o, client: authorityClient(), before: before}
	if l.authority, err = s.authority(ctx, l.client, asked); err != nil {
		return nil, err
	}
	if err := s.mayKnow(l.authority, before); err != nil {
		return nil, err
	}
	grant, err := l.run(ctx, asked)
	if err != nil {
		return nil, err
	}
	return grant, o.Grants.Update(ctx, s.URL, func(*Grant) (*Grant, error) { return grant, nil })
}

// challenge is how the server refuses somebody without a token; none if it does not.
func (s *Server) challenge(ctx context.Context, o LoginOptions) ([]string, error) {
	session := NewSession(s, Options{Self: o.Self, Redact: o.Redact})
	defer session.Close()
	_, err := session.Tools(ctx)
	if refused, ok := errors.AsType[*UnauthorizedError](err); ok {
		return refused.Challenges, nil
	}
	return nil, err
}

// login is one sign-in of a person.
type login struct {
	server    *Server
	options   LoginOptions
	client    *http.Client
	authority *authority
	before    *Grant // what was granted until now, nil if nothing was
	grant     *Grant
}

func (l *login) run(ctx context.Context, asked []string) (*Grant, error) {
	landing, err := land()
	if err != nil {
		return nil, err
	}
	defer landing.close()
	handler, err := auth.NewAuthorizationCodeHandler(l.config(landing))
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.server.URL, nil)
	if err != nil {
		return nil, err
	}
	refused := &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": asked}, Body: http.NoBody}
	if err := handler.Authorize(ctx, req, refused); err != nil {
		return nil, l.server.cannotSignIn(err)
	}
	return l.grant, nil
}

// config lets the SDK take the best way that the authorization server knows: the client's metadata document, a client that
// was registered by hand, or one that registers itself.
func (l *login) config(landing *landing) *auth.AuthorizationCodeHandlerConfig {
	o := l.server.OAuth
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: landing.url, Client: l.client, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		ScopeFilter: func([]string) []string { return l.server.scopes(l.authority, l.before, l.options.Scopes) },
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			return landing.await(ctx, args.URL, l.options.Show)
		},
		NewTokenSource: l.keep,
	}
	switch {
	case o.document():
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: o.ClientID}
	case o.ClientID != "":
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: o.ClientID, Issuer: o.Issuer}
		if o.ClientSecret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: o.ClientSecret}
		}
		return config
	}
	metadata := &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{landing.url}, ClientName: "rye", ResponseTypes: []string{"code"},
		GrantTypes: []string{"authorization_code", "refresh_token"},
	}
	if slices.Contains(l.authority.TokenEndpointAuthMethodsSupported, "none") {
		metadata.TokenEndpointAuthMethod = "none" // a secret that every copy of rye could read is none
	}
	config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: metadata}
	return config
}

// keep makes a grant of what the SDK has got. The SDK has asked for the metadata anew: another authorization server than
// the one that was looked at gets no refresh token and no secret later.
func (l *login) keep(_ context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
	if config.Endpoint.TokenURL != l.authority.TokenEndpoint {
		return nil, errors.New("its metadata changed while you signed in")
	}
	if err := checkType(token); err != nil {
		return nil, err
	}
	g := l.authority.grant(l.server)
	g.ClientID, g.ClientSecret, g.AuthStyle = config.ClientID, config.ClientSecret, int(config.Endpoint.AuthStyle)
	if g.ClientID == l.server.OAuth.ClientID {
		g.ClientSecret = "" // the configuration's, which may change
	}
	if config.ClientSecret == "" {
		g.AuthStyle = int(oauth2.AuthStyleInParams)
	}
	g.Scopes = config.Scopes
	slices.Sort(g.Scopes)
	g.take(token)
	l.grant = g
	return oauth2.StaticTokenSource(token), nil
}

// checkAddress refuses what a browser must not be sent to.
func checkAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !onThisMachine(address)) {
		return nil, errors.New("the authorization server's page is no https address")
	}
	return u, nil
}
