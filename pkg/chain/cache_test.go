package chain_test

import (
	"os"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// cachedWorld has the tool x on a runtime, resolved once.
func cachedWorld(t *testing.T) (*ryetest.World, *chain.Resolver, *chain.Chain) {
	w := ryetest.New(t)
	w.User.Tool("x.yaml", ryetest.YAML("runtime"))
	w.User.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute))
	r := w.Resolver()
	return w, r, mustResolve(t, r, "x")
}

func TestChainCacheHits(t *testing.T) {
	_, r, first := cachedWorld(t)
	if again := mustResolve(t, r, "x"); again != first {
		t.Error("nothing changed, and the chain was built again")
	}
	if got, want := r.Stats(), (chain.Stats{Chains: 1, Metadata: 2}); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

func TestChainCacheNoticesANewShadow(t *testing.T) {
	w, r, _ := cachedWorld(t)
	w.Project.Tool("x.py", "__executor_id__ = \"runtime\"\n")
	if c := mustResolve(t, r, "x"); c.Tool().Space() != space.Project {
		t.Errorf("still the tool of %s space", c.Tool().Space())
	}
	w.Project.Remove(".ai/tools/x.py")
	if c := mustResolve(t, r, "x"); c.Tool().Space() != space.User {
		t.Errorf("still the tool of %s space", c.Tool().Space())
	}
}

// The runtime of a user tool is looked up from user space, so a project file of its name is no shadow.
func TestChainCacheLooksFromTheElementsOwnSpace(t *testing.T) {
	w, r, first := cachedWorld(t)
	w.Project.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute))
	if again := mustResolve(t, r, "x"); again != first {
		t.Error("a file that cannot be part of the chain made it be built again")
	}
}

func TestChainCacheNoticesAnEditedElement(t *testing.T) {
	w, r, first := cachedWorld(t)
	w.User.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute, "config: {command: /bin/true}"))
	c := mustResolve(t, r, "x")
	if c == first || c.Elements[1].Meta.Config.String("command") != "/bin/true" {
		t.Error("an edited runtime was not noticed")
	}
	file := w.User.Path(".ai/tools/runtime.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w.User.Write(".ai/tools/runtime.yaml", string(data)+"# edited\n")
	_, err = r.Resolve(tool("x"))
	refused(t, err, item.TypeIntegrity, "Content modified since signing: "+file)
}

func TestChainCacheNoticesAMissingElement(t *testing.T) {
	w, r, _ := cachedWorld(t)
	w.User.Remove(".ai/tools/runtime.yaml")
	_, err := r.Resolve(tool("x"))
	refused(t, err, item.TypeChain, "Executor not found: runtime.")
}

func TestChainCacheNoticesAnUntrustedKey(t *testing.T) {
	w, r, _ := cachedWorld(t)
	w.User.Remove(".ai/config/keys/trusted")
	_, err := r.Resolve(tool("x"))
	refused(t, err, item.TypeIntegrity, "Untrusted key "+w.Key.Public().Fingerprint())
}

func TestChainCacheNoticesADetachedSignature(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("x.json", `{"tool_type": "tool", "executor_id": "`+ryetest.Execute+`"}`)
	r := w.Resolver()
	mustResolve(t, r, "x")
	w.Project.Remove(".ai/tools/x.json.rye-sig")
	_, err := r.Resolve(tool("x"))
	refused(t, err, item.TypeIntegrity, "Unsigned item: "+w.Project.Path(".ai/tools/x.json"))
}

func TestInvalidateForgets(t *testing.T) {
	_, r, first := cachedWorld(t)
	r.Invalidate(tool("other"))
	if mustResolve(t, r, "x") != first {
		t.Error("another item's chain was forgotten")
	}
	r.Invalidate(tool("x"))
	if got := r.Stats(); got.Chains != 0 || got.Metadata != 2 {
		t.Errorf("after forgetting x: %+v", got)
	}
	r.Invalidate(item.Ref{})
	if got := r.Stats(); got != (chain.Stats{}) {
		t.Errorf("after forgetting everything: %+v", got)
	}
}

// Metadata is kept by content: signing a file again with another key changes its bytes and so its entry.
func TestMetadataCacheIsValidByContent(t *testing.T) {
	w, r, first := cachedWorld(t)
	meta := first.Elements[1].Meta
	r.Invalidate(tool("x"))
	if got := mustResolve(t, r, "x").Elements[1].Meta; got != meta {
		t.Error("unchanged bytes were parsed again")
	}
	other, err := integrity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	w.User.Trust(other)
	w.Key = other
	w.User.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute, "category: changed"))
	if got := mustResolve(t, r, "x").Elements[1]; got.Meta.Category != "changed" || got.Proof.Signer() != other.Public().Fingerprint() {
		t.Errorf("changed bytes gave old metadata: %+v", got.Meta)
	}
}
