package mcp

import (
	"context"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/ryeos/rye/pkg/item"
)

// bearer gives the requests of a session the token that is kept for the server. It never asks a person for one. A nil bearer
// has none.
type bearer struct {
	server *Server
	grants Grants
	client *http.Client
}

func newBearer(s *Server, grants Grants) *bearer {
	if grants == nil || !s.signsIn() {
		return nil
	}
	return &bearer{server: s, grants: grants, client: authorityClient()}
}

// token is what the next request carries, "" if there is none: then the server is asked without, and says what it wants.
func (b *bearer) token(ctx context.Context) (string, error) {
	if b == nil {
		return "", nil
	}
	g, err := b.grants.Load(b.server.URL)
	switch {
	case err != nil || g == nil:
		return "", err
	case g.fresh():
		return g.AccessToken, nil
	case g.RefreshToken == "":
		return "", nil
	}
	return b.refresh(ctx, g.AccessToken)
}

// another is a token to try once more with after the server has refused one, "" if there is none to be had.
func (b *bearer) another(ctx context.Context, refused string, resp *http.Response) (string, error) {
	if b == nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return "", nil
	}
	asked := resp.Header.Values("WWW-Authenticate")
	more := missingScopes(asked)
	switch {
	case resp.StatusCode == http.StatusForbidden && len(more) == 0:
		return "", nil
	case b.server.OAuth.Grant == ClientCredentials:
		g, err := b.server.earn(ctx, b.client, b.grants, asked, more)
		if err != nil {
			return "", err
		}
		return g.AccessToken, nil
	case resp.StatusCode == http.StatusUnauthorized && refused != "":
		return b.refresh(ctx, refused)
	}
	return "", nil
}

// missingScopes are those that a server wants beside what a token has.
func missingScopes(asked []string) []string {
	challenges, err := oauthex.ParseWWWAuthenticate(asked)
	if err != nil || parameter(challenges, "error") != "insufficient_scope" {
		return nil
	}
	return scopesIn(parameter(challenges, "scope"))
}

// refused is the error of a server that wants a sign-in, or a better one.
func (s *Server) refused(resp *http.Response) error {
	asked := resp.Header.Values("WWW-Authenticate")
	e := item.Errorf(item.TypePermission, "the MCP server %s answers %d %s", s.Name, resp.StatusCode, http.StatusText(resp.StatusCode))
	scopes := missingScopes(asked)
	switch {
	case !s.signsIn():
		return e.Hint("check the headers in config:%s", serversFolder+s.Name)
	case resp.StatusCode == http.StatusUnauthorized:
		e.Err = &UnauthorizedError{asked}
		return e.Hint("%s", loginCommand(s.Name, nil))
	case len(scopes) > 0:
		e.Message += ": the sign-in lacks " + strings.Join(scopes, " ")
		return e.Hint("%s", loginCommand(s.Name, scopes))
	}
	return e.Hint("who is signed in may not do that; as somebody else: %s", loginCommand(s.Name, nil))
}

func loginCommand(server string, scopes []string) string {
	command := "rye mcp login " + item.ShellWord(server)
	for _, scope := range scopes {
		command += " --scope " + item.ShellWord(scope)
	}
	return command
}
