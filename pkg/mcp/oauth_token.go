package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/ryeos/rye/pkg/item"
)

// request asks the grant's authorization server for a token. clientcredentials is the one form of request of x/oauth2 that
// takes parameters, which a resource must be among.
func (g *Grant) request(ctx context.Context, client *http.Client, s *Server, scopes []string, params url.Values) (*oauth2.Token, error) {
	params.Set("resource", g.Resource)
	config := clientcredentials.Config{
		ClientID: g.ClientID, ClientSecret: g.secret(s), TokenURL: g.TokenEndpoint, Scopes: scopes, EndpointParams: params,
		AuthStyle: oauth2.AuthStyle(g.AuthStyle),
	}
	token, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err != nil {
		return nil, err
	}
	return token, checkType(token)
}

// secret is the client's: the configuration's, if the client is its.
func (g *Grant) secret(s *Server) string {
	if g.ClientID == s.OAuth.ClientID {
		return s.OAuth.ClientSecret
	}
	return g.ClientSecret
}

// checkType refuses tokens that are of use only with a proof.
func checkType(t *oauth2.Token) error {
	if t.Type() != "Bearer" {
		return errors.New("the authorization server gives a token of the type " + item.Quote(t.Type()))
	}
	return nil
}

// refresh gets another token for the grant that has the stale one. Whoever comes first does it; the others find it done.
func (b *bearer) refresh(ctx context.Context, stale string) (string, error) {
	var token string
	var refused error
	err := b.grants.Update(ctx, b.server.URL, func(g *Grant) (*Grant, error) {
		if g == nil || g.RefreshToken == "" && !g.fresh() {
			return g, nil
		}
		if g.AccessToken != stale && g.fresh() {
			token = g.AccessToken
			return g, nil
		}
		fresh, err := g.request(ctx, b.client, b.server, nil, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {g.RefreshToken}})
		if code := refusal(err); code != "" {
			ended := item.Errorf(item.TypePermission, "the sign-in to the MCP server %s has ended: its authorization server says %s",
				b.server.Name, item.Quote(code)).Hint("%s", loginCommand(b.server.Name, nil))
			ended.Err, refused = &UnauthorizedError{}, ended
			g.AccessToken, g.RefreshToken = "", ""
			return g, nil
		}
		if err != nil {
			return nil, b.server.cannotSignIn(err)
		}
		g.take(fresh)
		token = g.AccessToken
		return g, nil
	})
	return token, errors.Join(err, refused)
}

// refusal is the code by which an authorization server says that it will not give a token, also later; "" for other errors.
func refusal(err error) string {
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || answer.Response == nil || answer.Response.StatusCode >= 500 || answer.Response.StatusCode == http.StatusTooManyRequests {
		return ""
	}
	if answer.ErrorCode == "" {
		return answer.Response.Status
	}
	return answer.ErrorCode
}

// earn gets a token by the client's own secret.
func (s *Server) earn(ctx context.Context, client *http.Client, grants Grants, asked, more []string) (*Grant, error) {
	a, err := s.authority(ctx, client, asked)
	if err != nil {
		return nil, err
	}
	var earned *Grant
	err = grants.Update(ctx, s.URL, func(before *Grant) (*Grant, error) {
		if err := s.mayKnow(a, before); err != nil {
			return nil, err
		}
		g := a.grant(s)
		g.ClientID, g.AuthStyle = s.OAuth.ClientID, int(oauth2.AuthStyleAutoDetect)
		for _, method := range a.TokenEndpointAuthMethodsSupported {
			if style, ok := authStyles[method]; ok {
				g.AuthStyle = int(style)
				break
			}
		}
		g.Scopes = s.scopes(a, before, more)
		token, err := g.request(ctx, client, s, g.Scopes, url.Values{})
		if err != nil {
			return nil, s.cannotSignIn(err)
		}
		g.take(token)
		earned = g
		return g, nil
	})
	return earned, err
}

var authStyles = map[string]oauth2.AuthStyle{"client_secret_basic": oauth2.AuthStyleInHeader, "client_secret_post": oauth2.AuthStyleInParams}

// mayKnow keeps the secret of a registered client from an authorization server that it was not first used with.
func (s *Server) mayKnow(a *authority, before *Grant) error {
	if s.OAuth.ClientSecret != "" && s.OAuth.Issuer == "" && before != nil && before.Issuer != a.Issuer {
		return s.otherIssuer(a.Issuer, before.Issuer)
	}
	return nil
}

// grant is the start of a grant of this authority.
func (a *authority) grant(s *Server) *Grant {
	return &Grant{Server: s.URL, Resource: a.Resource, Issuer: a.Issuer, TokenEndpoint: a.TokenEndpoint, RevocationEndpoint: a.RevocationEndpoint}
}

// scopes are those to ask for: the configuration's or else the server's, more, and what the same authority has granted before.
func (s *Server) scopes(a *authority, before *Grant, more []string) []string {
	scopes := s.OAuth.Scopes
	if len(scopes) == 0 {
		scopes = a.Scopes
	}
	scopes = union(scopes, more)
	if before != nil && before.Issuer == a.Issuer {
		scopes = union(scopes, before.Scopes)
	}
	return scopes
}

// Revoke tells the authorization server that the tokens are not wanted any more, if it can be told.
func (g *Grant) Revoke(ctx context.Context, s *Server) error {
	token := g.RefreshToken
	if token == "" {
		token = g.AccessToken
	}
	if g.RevocationEndpoint == "" || token == "" {
		return nil
	}
	form, secret := url.Values{"token": {token}}, g.secret(s)
	if secret == "" || oauth2.AuthStyle(g.AuthStyle) == oauth2.AuthStyleInParams {
		form.Set("client_id", g.ClientID)
	}
	if secret != "" && oauth2.AuthStyle(g.AuthStyle) == oauth2.AuthStyleInParams {
		form.Set("client_secret", secret)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.RevocationEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if secret != "" && !form.Has("client_secret") {
		req.SetBasicAuth(url.QueryEscape(g.ClientID), url.QueryEscape(secret))
	}
	resp, err := authorityClient().Do(req)
	if err != nil {
		return sayPlain(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New("its authorization server answers " + resp.Status)
	}
	return nil
}
