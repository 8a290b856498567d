package engine_test

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
)

// TestMCPToken: the file's token is made once, for its owner alone, and the environment's counts more.
func TestMCPToken(t *testing.T) {
	w := ryetest.New(t)
	var all sync.WaitGroup
	tokens := make([]string, 20)
	for i := range tokens {
		all.Go(func() {
			var err error
			if tokens[i], _, err = w.Engine().MCPToken(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, token := range tokens {
		if len(token) < 32 || token != tokens[0] {
			t.Fatalf("servers that start at once have the tokens %q", tokens)
		}
	}
	_, file, err := w.Engine().MCPToken()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%s: %v, %v", file, info, err)
	}
	given := func(o *engine.Options) { o.Env = []string{engine.MCPTokenVariable + "=given-by-the-environment"} }
	if token, file, err := w.Engine(given).MCPToken(); token != "given-by-the-environment" || file != "" || err != nil {
		t.Errorf("got %q, %q, %v", token, file, err)
	}
}

// TestMCPTokenRefused: a token that others know, or could guess, protects nothing.
func TestMCPTokenRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, file string){
		"readable": func(t *testing.T, file string) {
			if runtime.GOOS == "windows" {
				t.Skip("files have no modes here")
			}
			must(t, os.Chmod(file, 0o644))
		},
		"short": func(t *testing.T, file string) { must(t, os.WriteFile(file, []byte("guess me\n"), 0o600)) },
		"empty": func(t *testing.T, file string) { must(t, os.WriteFile(file, nil, 0o600)) },
		"spaced": func(t *testing.T, file string) {
			must(t, os.WriteFile(file, []byte(strings.Repeat("two words ", 4)), 0o600))
		},
		"link": func(t *testing.T, file string) {
			rename(t, file, file+".real")
			must(t, os.Symlink(file+".real", file))
		},
		"folder": func(t *testing.T, file string) {
			must(t, os.Remove(file))
			must(t, os.Mkdir(file, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := ryetest.New(t)
			before, file, err := w.Engine().MCPToken()
			must(t, err)
			spoil(t, file)
			if token, _, err := w.Engine().MCPToken(); err == nil || strings.Contains(err.Error(), before) {
				t.Errorf("got %q, %v", token, err)
			}
		})
	}
	for _, value := range []string{"", "short", "has a space in the middle"} {
		given := func(o *engine.Options) { o.Env = []string{engine.MCPTokenVariable + "=" + value} }
		if token, _, err := ryetest.New(t).Engine(given).MCPToken(); err == nil {
			t.Errorf("%q counts: %q", value, token)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
