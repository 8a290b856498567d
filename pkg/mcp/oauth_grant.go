package mcp

import (
	"context"
	"slices"
	"time"

	"golang.org/x/oauth2"
)

// Grant is what was allowed at a server, and by whom. It belongs to one address of a server and one issuer: the tokens go to
// no other server, and the refresh token and the client's secret to no other authorization server.
type Grant struct {
	Server             string    `json:"server"`
	Resource           string    `json:"resource"`
	Issuer             string    `json:"issuer"`
	TokenEndpoint      string    `json:"token_endpoint"`
	RevocationEndpoint string    `json:"revocation_endpoint,omitempty"`
	ClientID           string    `json:"client_id"`
	ClientSecret       string    `json:"client_secret,omitempty"` // of a client that registered itself
	AuthStyle          int       `json:"auth_style"`              // how the client says who it is: an oauth2.AuthStyle
	Scopes             []string  `json:"scopes,omitempty"`
	AccessToken        string    `json:"access_token,omitempty"`
	RefreshToken       string    `json:"refresh_token,omitempty"`
	Expiry             time.Time `json:"expiry,omitzero"`
}

// Grants keeps the grants of a person, one for each address of a server. It is safe for concurrent use, also by several
// processes.
type Grants interface {
	// Load gives the grant for a server, nil if there is none.
	Load(server string) (*Grant, error)

	// Update has nobody else change the grant while change runs, which gets the present one and gives the one to keep. Nil
	// removes it; an error leaves it as it is.
	Update(ctx context.Context, server string, change func(*Grant) (*Grant, error)) error
}

// early is how long before its end a token is not used any more: it must still be good when it arrives.
const early = 10 * time.Second

// fresh reports whether the token can be used.
func (g *Grant) fresh() bool {
	return g.AccessToken != "" && (g.Expiry.IsZero() || time.Until(g.Expiry) > early)
}

// take puts a token into the grant. An answer without a refresh token or scopes leaves those that there are.
func (g *Grant) take(t *oauth2.Token) {
	g.AccessToken, g.Expiry = t.AccessToken, t.Expiry
	if t.RefreshToken != "" {
		g.RefreshToken = t.RefreshToken
	}
	if scope, ok := t.Extra("scope").(string); ok {
		g.Scopes = scopesIn(scope)
	}
}

// union is all scopes of both, in order.
func union(scopes, more []string) []string {
	all := slices.Clone(scopes)
	for _, scope := range more {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}
