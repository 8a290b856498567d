package chain_test

import (
	"encoding/json"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

// resolved is what config_resolve gives a tool, as JSON.
func resolved(t *testing.T, w *ryetest.World, spec string) (string, error) {
	t.Helper()
	w.Project.Tool("x.yaml", ryetest.YAML(ryetest.Execute, "config_resolve: "+spec))
	r := w.Resolver()
	value, _, err := r.ResolveConfig(mustResolve(t, r, "x"))
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), nil
}

func configWorld(t *testing.T) *ryetest.World {
	w := ryetest.New(t)
	w.System.Config("web/search.yaml", "extends: base\nprovider: {name: duck, key: none, extends: y}\nlimit: 10\ntags: [a, b]\n")
	w.User.Config("web/search.yaml", "provider: {key: mine}\ntags: [c]\n")
	w.Project.Config("web/search.yaml", "limit: 3\nprovider: {region: nz}\nextra: true\nextends: other\n")
	w.User.Config("agent.toml", "model = \"big\"\n")
	return w
}

func TestResolveConfig(t *testing.T) {
	for _, test := range []struct{ name, spec, want string }{
		{"maps merge, lists and scalars are replaced, extends is dropped", "{path: web/search.yaml, mode: deep_merge}",
			`{"provider":{"name":"duck","key":"mine","region":"nz"},"limit":3,"tags":["c"],"extra":true}`},
		{"deep_merge is the default", "{path: web/search.yaml}",
			`{"provider":{"name":"duck","key":"mine","region":"nz"},"limit":3,"tags":["c"],"extra":true}`},
		{"the first match is taken alone", "{path: web/search.yaml, mode: first_match}",
			`{"limit":3,"provider":{"region":"nz"},"extra":true}`},
		{"a list is keyed by path", "[{path: agent.toml}, {path: web/search.yaml, mode: first_match}, {path: none.yaml}]",
			`{"agent.toml":{"model":"big"},"web/search.yaml":{"limit":3,"provider":{"region":"nz"},"extra":true}}`},
		{"nothing found", "{path: none.yaml}", `null`},
	} {
		if got, err := resolved(t, configWorld(t), test.spec); err != nil || got != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.name, got, err, test.want)
		}
	}
}

func TestResolveConfigSkipsMissingTiers(t *testing.T) {
	w := configWorld(t)
	w.Project.Remove(".ai/config/web/search.yaml")
	got, err := resolved(t, w, "{path: web/search.yaml, mode: first_match}")
	if err != nil || got != `{"provider":{"key":"mine"},"tags":["c"]}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// Configuration steers a signed tool, so every layer that counts must be signed too.
func TestResolveConfigRefusesUnsignedLayers(t *testing.T) {
	w := configWorld(t)
	w.User.Write(".ai/config/web/search.yaml", "provider: {key: stolen}\n")
	_, err := resolved(t, w, "{path: web/search.yaml}")
	refused(t, err, item.TypeIntegrity, "Unsigned item: "+w.User.Path(".ai/config/web/search.yaml"))

	if _, err := resolved(t, w, "{path: web/search.yaml, mode: first_match}"); err != nil {
		t.Errorf("a layer that does not count was looked at: %v", err)
	}
}
