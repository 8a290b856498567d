package mcp_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

func parse(t *testing.T, yaml string) (*mcp.Server, error) {
	t.Helper()
	doc, err := item.ReadDocument("x.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return mcp.ParseServer("x", doc.Values)
}

func TestParseServer(t *testing.T) {
	s, err := parse(t, "command: npx\nargs: [-y, 3, true]\nenv: {PORT: 80}\ntimeout: 1.5\nprotocol: auto\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Transport != mcp.Stdio || strings.Join(s.Args, " ") != "-y 3 true" || s.Env["PORT"] != "80" || s.Timeout != 1500*time.Millisecond ||
		s.StartTimeout != mcp.DefaultStartTimeout || s.Protocol != "" {
		t.Errorf("got %+v", s)
	}
	s, err = parse(t, "description: Far away\nconfig: {url: 'https://example.org/mcp', headers: {A: b}}\n")
	if err != nil || s.Transport != mcp.HTTP || s.Headers["A"] != "b" || s.Description != "Far away" {
		t.Errorf("got %+v, %v", s, err)
	}
	s, err = parse(t, "url: https://x\noauth: {client_id: a, client_secret: b, issuer: https://i, scopes: [c], grant: client_credentials}\n")
	if want := (mcp.OAuth{ClientID: "a", ClientSecret: "b", Issuer: "https://i", Scopes: []string{"c"}, Grant: "client_credentials"}); err != nil ||
		!reflect.DeepEqual(s.OAuth, want) {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestParseServerRefuses(t *testing.T) {
	for yaml, want := range map[string]string{
		"transport: stdio":                                  "No command",
		"transport: http":                                   "No URL",
		"transport: smoke\nurl: http://x":                   "Unknown transport",
		"command: x\nurl: http://x":                         "not for stdio",
		"transport: sse\nurl: http://x\nargs: [a]":          "not for sse",
		"command: [a, b]":                                   "command must be a string",
		"command: x\nargs: a b":                             "args must be a list",
		"command: x\nenv: [A]":                              "env must be a mapping",
		"command: x\nenv: {A: {}}":                          "env.A must be a string",
		"command: x\noauth: {client_id: a}":                 "oauth are for",
		"url: http://x\noauth: yes":                         "oauth must be a mapping",
		"url: http://x\noauth: {scopes: a}":                 "oauth: scopes must be a list",
		"url: http://x\noauth: {grant: password}":           "Unknown oauth.grant",
		"url: http://x\noauth: {grant: client_credentials}": "needs client_id and client_secret",
		"url: http://x\noauth: {client_secret: a}":          "needs client_id",
		"command: x\ntimeout: 0":                            "timeout must be a positive number",
	} {
		if _, err := parse(t, yaml); err == nil || !strings.Contains(err.Error(), want) || item.TypeOf(err) != item.TypeChain {
			t.Errorf("%q: got %v, want %q", yaml, err, want)
		}
	}
}

func TestExpand(t *testing.T) {
	vars := map[string]mcp.Variable{"A": {Value: "${B}"}, "B": {Value: "b"}, "FILE": {Value: "f", InProject: true}, "EMPTY": {}}
	lookup := func(name string) (mcp.Variable, bool) { v, ok := vars[name]; return v, ok }
	s := &mcp.Server{Name: "x", Command: "${B}", Args: []string{"${A}-${NOT:-d}-${EMPTY:-e}-$B-${}"}, Env: map[string]string{"K": "${FILE}"}}
	full, err := s.Expand(lookup)
	if err != nil {
		t.Fatal(err)
	}
	if full.Command != "b" || full.Args[0] != "${B}-d-e-$B-${}" || full.Env["K"] != "f" {
		t.Errorf("got %+v", full)
	}
	if got := strings.Join(s.Variables(), " "); got != "A B EMPTY FILE NOT" {
		t.Errorf("the variables are %q", got)
	}
	far := &mcp.Server{Name: "x", OAuth: mcp.OAuth{ClientID: "${B}", ClientSecret: "${FILE}"}}
	if full, err = far.Expand(lookup); err != nil || full.OAuth.ClientID != "b" || full.OAuth.ClientSecret != "f" {
		t.Errorf("got %+v, %v", full, err)
	}
	far.OAuth.Issuer = "${FILE}" // decides to whom the secret goes
	if _, err = far.Expand(lookup); item.TypeOf(err) != item.TypePermission {
		t.Errorf("an issuer from the project's .env: %v", err)
	}
	for text, want := range map[string]item.ErrorType{"${NOT}": item.TypeUnavailable, "${EMPTY}": item.TypeUnavailable, "${FILE}": item.TypePermission} {
		if _, err := (&mcp.Server{Command: text}).Expand(lookup); item.TypeOf(err) != want {
			t.Errorf("the command %s: got %v, want an error of the type %s", text, err, want)
		}
	}
}
