package mcptest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Authority is an authorization server and, below /mcp, an MCP server that takes its tokens only: with the scope read for
// everything, and the scope write for the tool write. Its fields may be set before it is used, and under Lock later.
type Authority struct {
	sync.Mutex
	URL string

	Life          time.Duration // of tokens; 0 is an hour
	Iss           string        // what answers say who it is; "" is the truth
	NoIss         bool          // answers do not say it
	State         string        // what answers repeat; "" is what they were asked
	TokenType     string        // "" is Bearer
	RefuseRefresh bool
	Deny          bool // the person does not allow it
	Resource      string
	Issuer        string // what the MCP server names; "" is this

	Registered, Refreshed, Revoked, Called int      // how often
	Audiences                              []string // of requests for tokens
	Tokens                                 []string // all that were given

	codes   map[string]url.Values // → what was asked with it
	valid   map[string]string     // access token → scopes
	refresh map[string]string     // refresh token → scopes
	expires map[string]time.Time
}

// NewAuthority serves one until the end of the test.
func NewAuthority(t testing.TB) *Authority {
	a := &Authority{}
	server := httptest.NewServer(a.Handler())
	a.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return a
}

// Server is the address of the MCP server.
func (a *Authority) Server() string { return a.URL + "/mcp" }

// Client is a client that is registered.
func (a *Authority) Client() (id, secret string) { return "robot", "robots-secret-4711" }

// Handler serves both.
func (a *Authority) Handler() http.Handler {
	a.codes, a.valid, a.refresh, a.expires = map[string]url.Values{}, map[string]string{}, map[string]string{}, map[string]time.Time{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", a.resource)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", a.metadata)
	mux.HandleFunc("POST /register", a.register)
	mux.HandleFunc("GET /authorize", a.authorize)
	mux.HandleFunc("POST /token", a.token)
	mux.HandleFunc("POST /revoke", a.revoke)
	server := sdk.NewServer(&sdk.Implementation{Name: "guarded", Version: "1"}, nil)
	for _, name := range []string{"echo", "write"} {
		sdk.AddTool(server, &sdk.Tool{Name: name, Description: "Gives a text back"},
			func(_ context.Context, _ *sdk.CallToolRequest, in struct {
				Text string `json:"text"`
			}) (*sdk.CallToolResult, any, error) {
				a.Lock()
				defer a.Unlock()
				a.Called++
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name + ": " + in.Text}}}, nil, nil
			})
	}
	mux.Handle("/mcp", a.guard(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)))
	return mux
}

// End makes every access token invalid, as if it had been taken back.
func (a *Authority) End() {
	a.Lock()
	defer a.Unlock()
	clear(a.valid)
}

func (a *Authority) resource(w http.ResponseWriter, _ *http.Request) {
	a.Lock()
	defer a.Unlock()
	answer(w, http.StatusOK, map[string]any{
		"resource": or(a.Resource, a.Server()), "authorization_servers": []string{or(a.Issuer, a.URL)}, "scopes_supported": []string{"read"},
	})
}

func (a *Authority) metadata(w http.ResponseWriter, _ *http.Request) {
	a.Lock()
	defer a.Unlock()
	answer(w, http.StatusOK, map[string]any{
		"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token",
		"registration_endpoint": a.URL + "/register", "revocation_endpoint": a.URL + "/revoke",
		"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
		"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_post"},
		"authorization_response_iss_parameter_supported": true,
	})
}

func (a *Authority) register(w http.ResponseWriter, r *http.Request) {
	a.Lock()
	defer a.Unlock()
	a.Registered++
	var asked map[string]any
	json.NewDecoder(r.Body).Decode(&asked)
	asked["client_id"] = "client-" + rand.Text()[:8]
	answer(w, http.StatusCreated, asked)
}

// authorize is the page on which a person would say yes.
func (a *Authority) authorize(w http.ResponseWriter, r *http.Request) {
	a.Lock()
	defer a.Unlock()
	asked := r.URL.Query()
	back := url.Values{"state": {or(a.State, asked.Get("state"))}}
	if !a.NoIss {
		back.Set("iss", or(a.Iss, a.URL))
	}
	if a.Deny {
		back.Set("error", "access_denied")
	} else {
		code := rand.Text()
		a.codes[code] = asked
		back.Set("code", code)
	}
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (a *Authority) token(w http.ResponseWriter, r *http.Request) {
	a.Lock()
	defer a.Unlock()
	r.ParseForm()
	a.Audiences = append(a.Audiences, r.PostForm.Get("resource"))
	id, secret := a.Client()
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		asked, ok := a.codes[r.PostForm.Get("code")]
		delete(a.codes, r.PostForm.Get("code"))
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		if ok && asked.Get("code_challenge") == base64.RawURLEncoding.EncodeToString(sum[:]) && asked.Get("client_id") == r.PostForm.Get("client_id") {
			a.give(w, asked.Get("scope"), true)
			return
		}
	case "refresh_token":
		scopes, ok := a.refresh[r.PostForm.Get("refresh_token")]
		delete(a.refresh, r.PostForm.Get("refresh_token")) // it counts once
		if a.Refreshed++; ok && !a.RefuseRefresh {
			a.give(w, scopes, true)
			return
		}
	case "client_credentials":
		if r.PostForm.Get("client_id") == id && r.PostForm.Get("client_secret") == secret {
			a.give(w, r.PostForm.Get("scope"), false)
			return
		}
	}
	answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
}

func (a *Authority) give(w http.ResponseWriter, scopes string, renewable bool) {
	life := a.Life
	if life == 0 {
		life = time.Hour
	}
	access, again := "access-"+rand.Text(), "refresh-"+rand.Text()
	a.valid[access], a.expires[access] = scopes, time.Now().Add(life)
	a.Tokens = append(a.Tokens, access)
	given := map[string]any{"access_token": access, "token_type": or(a.TokenType, "Bearer"), "expires_in": int(life.Seconds()), "scope": scopes}
	if renewable {
		a.refresh[again], given["refresh_token"] = scopes, again
		a.Tokens = append(a.Tokens, again)
	}
	answer(w, http.StatusOK, given)
}

func (a *Authority) revoke(w http.ResponseWriter, r *http.Request) {
	a.Lock()
	defer a.Unlock()
	r.ParseForm()
	if _, ok := a.refresh[r.PostForm.Get("token")]; ok {
		a.Revoked++
	}
	delete(a.refresh, r.PostForm.Get("token"))
}

// guard lets only those in who have a token.
func (a *Authority) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		a.Lock()
		scopes, ok := a.valid[token]
		ok = ok && time.Now().Before(a.expires[token])
		a.Unlock()
		var call struct{ Params struct{ Name string } }
		json.Unmarshal(body, &call)
		writes := call.Params.Name == "write" && !slices.Contains(strings.Fields(scopes), "write")
		switch {
		case !ok:
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+a.URL+`/.well-known/oauth-protected-resource/mcp", scope="read"`)
			w.WriteHeader(http.StatusUnauthorized)
		case writes:
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="write"`)
			w.WriteHeader(http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func answer(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(document)
}

func or(given, otherwise string) string {
	if given == "" {
		return otherwise
	}
	return given
}
