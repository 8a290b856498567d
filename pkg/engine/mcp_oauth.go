package engine

import (
	"context"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// LoginRequest says where to sign in, and to what.
type LoginRequest struct {
	Server string
	Scopes []string         // beside those that the server names
	Show   func(url string) // tells the person which page to open
}

// SignedIn is what a sign-in gave. The tokens are not part of it.
type SignedIn struct {
	Server   string     `json:"server"`
	URL      string     `json:"url"`
	Issuer   string     `json:"issuer"`
	Resource string     `json:"resource"`
	Scopes   []string   `json:"scopes"`
	Expires  *time.Time `json:"expires,omitempty"` // the token, if it says so
	Renewed  bool       `json:"renewed"`           // without the person, when it has expired
}

// LoginMCP signs in to a server, and keeps its tokens for the user.
func (e *Engine) LoginMCP(ctx context.Context, req LoginRequest) (*SignedIn, error) {
	start, err := e.mcpStartOf(req.Server)
	if err != nil {
		return nil, err
	}
	grant, err := mcp.Login(ctx, start.full, mcp.LoginOptions{
		Grants: start.grants, Scopes: req.Scopes, Show: req.Show, Self: e.options.Version, Redact: start.redact,
	})
	if err != nil {
		return nil, err
	}
	in := &SignedIn{
		Server: start.Server.Name, URL: grant.Server, Issuer: grant.Issuer, Resource: grant.Resource, Scopes: grant.Scopes,
		Renewed: grant.RefreshToken != "" || start.full.OAuth.Grant == mcp.ClientCredentials,
	}
	if in.Scopes == nil {
		in.Scopes = []string{}
	}
	if !grant.Expiry.IsZero() {
		expires := grant.Expiry.UTC().Truncate(time.Second)
		in.Expires = &expires
	}
	return in, nil
}

// SignedOut says what became of the tokens for a server.
type SignedOut struct {
	Server  string `json:"server"`
	Was     bool   `json:"was_signed_in"`
	Warning string `json:"warning,omitempty"` // the authorization server could not be told
}

// revokeTime bounds the farewell to an authorization server.
const revokeTime = 10 * time.Second

// LogoutMCP forgets the tokens for a server, and tells the authorization server that they are not wanted any more.
func (e *Engine) LogoutMCP(ctx context.Context, server string) (*SignedOut, error) {
	start, err := e.mcpStartOf(server)
	if err != nil {
		return nil, err
	}
	grant, err := start.grants.remove(ctx, start.full.URL)
	out := &SignedOut{Server: start.Server.Name, Was: grant != nil}
	if grant == nil || err != nil {
		return out, err
	}
	ctx, stop := context.WithTimeout(ctx, revokeTime)
	defer stop()
	if err := grant.Revoke(ctx, start.full); err != nil {
		out.Warning = "the tokens are forgotten here, but may still count: " + start.redact(err.Error())
	}
	return out, nil
}

func (e *Engine) mcpStartOf(server string) (*mcpStart, error) {
	s, err := e.mcpServerIn(e.spaces, server)
	if err != nil {
		return nil, err
	}
	if !s.Remote() {
		return nil, item.Usagef("the MCP server %s is a program: there is nowhere to sign in", s.Name)
	}
	return e.startMCP(s, e.options.Env)
}
