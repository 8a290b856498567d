package engine_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/mcptest"
	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// signedIn is a world with a server that the user has signed in to, and the file that holds the tokens.
func signedIn(t *testing.T) (w *ryetest.World, a *mcptest.Authority, file string) {
	w, a = ryetest.New(t), mcptest.NewAuthority(t)
	w.Project.Config("mcp/servers/far.yaml", "version: \"1.0.0\"\ncategory: mcp/servers\nurl: "+a.Server()+"\n")
	must(t, login(t, w))
	files, err := filepath.Glob(filepath.Join(w.User.Base, ".ai", "state", "mcp-oauth", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the sign-in is in %q, %v", files, err)
	}
	return w, a, files[0]
}

func login(t *testing.T, w *ryetest.World, options ...func(*engine.Options)) error {
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	_, err := w.Engine(options...).LoginMCP(ctx, engine.LoginRequest{Server: "far", Show: func(page string) {
		go func() {
			if resp, err := http.Get(page); err == nil {
				resp.Body.Close()
			}
		}()
	}})
	return err
}

func callFar(t *testing.T, w *ryetest.World) error {
	_, err := w.Engine().CallMCP(t.Context(), "far", "echo", map[string]any{"text": "x"})
	return err
}

// TestMCPGrantFile: the tokens are in a file for the user alone, which signing out removes.
func TestMCPGrantFile(t *testing.T) {
	w, a, file := signedIn(t)
	must(t, callFar(t, w))
	for _, path := range []string{file, filepath.Dir(file)} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			t.Errorf("%s has the mode %s", path, info.Mode())
		}
	}
	out, err := w.Engine().LogoutMCP(t.Context(), "far")
	must(t, err)
	if _, err := os.Stat(file); !os.IsNotExist(err) || !out.Was || out.Warning != "" || a.Revoked != 1 {
		t.Errorf("after signing out: %v, %+v, %d tokens revoked", err, out, a.Revoked)
	}
	if err := callFar(t, w); item.TypeOf(err) != item.TypePermission {
		t.Errorf("got %v", err)
	}
}

// TestMCPGrantRefused: tokens that others know, or that are another server's, are not used; signing in anew needs no more
// than what the error says.
func TestMCPGrantRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, file string){
		"readable": func(t *testing.T, file string) {
			if runtime.GOOS == "windows" {
				t.Skip("files have no modes here")
			}
			must(t, os.Chmod(file, 0o644))
		},
		"another server's": func(t *testing.T, file string) {
			data, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(file, []byte(strings.Replace(string(data), `/mcp"`, `/other"`, 1)), 0o600))
		},
		"cut": func(t *testing.T, file string) { must(t, os.Truncate(file, 20)) },
	} {
		t.Run(name, func(t *testing.T) {
			w, a, file := signedIn(t)
			spoil(t, file)
			before := a.Called
			err := callFar(t, w)
			if hints := item.HintsOf(err); err == nil || len(hints) == 0 || !strings.HasPrefix(hints[0], "rm ") || a.Called != before {
				t.Errorf("%v, %q, %d calls", err, hints, a.Called-before)
			}
			must(t, os.Remove(file))
			must(t, login(t, w))
			must(t, callFar(t, w))
		})
	}
}

// TestMCPSecretHidden: what an authorization server says does not show the client's secret.
func TestMCPSecretHidden(t *testing.T) {
	w, a := ryetest.New(t), mcptest.NewAuthority(t)
	a.TokenType = "hunter2-hunter2"
	w.Project.Config("mcp/servers/far.yaml", "version: \"1.0.0\"\ncategory: mcp/servers\nurl: "+a.Server()+
		"\noauth: {client_id: me, client_secret: \"${FAR_SECRET}\"}\n")
	err := login(t, w, func(o *engine.Options) { o.Env = append(o.Env, "FAR_SECRET=hunter2-hunter2") })
	if err == nil || !strings.Contains(err.Error(), "token of the type") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}
