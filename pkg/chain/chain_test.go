package chain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

func tool(id string) item.Ref { return item.Ref{Kind: item.Tool, ID: id} }

func mustResolve(t *testing.T, r *chain.Resolver, id string) *chain.Chain {
	t.Helper()
	c, err := r.Resolve(tool(id))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// refused asserts an error's type and the start of its message.
func refused(t *testing.T, err error, want item.ErrorType, message string) {
	t.Helper()
	if item.TypeOf(err) != want || err == nil || !strings.HasPrefix(err.Error(), message) {
		t.Errorf("got %s error %q, want %s error %q", item.TypeOf(err), err, want, message)
	}
}

// The seed's example: the tool, its runtime, and the primitive that needs no file.
func TestResolveBash(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("rye/bash.py", "__executor_id__ = \"rye/core/runtimes/python/script\"\n")
	c := mustResolve(t, w.Resolver(), "rye/bash")
	if want := []string{"rye/bash", "rye/core/runtimes/python/script", "rye/core/primitives/execute"}; !slices.Equal(c.IDs(), want) {
		t.Errorf("ids: %v", c.IDs())
	}
	if want := []string{
		"rye/bash -> rye/core/runtimes/python/script", "rye/core/runtimes/python/script -> rye/core/primitives/execute",
	}; !slices.Equal(c.Pairs, want) {
		t.Errorf("pairs: %q", c.Pairs)
	}
	spaces := []space.Label{c.Elements[0].Space(), c.Elements[1].Space(), c.Elements[2].Space()}
	if want := []space.Label{space.Project, space.System, space.System}; !slices.Equal(spaces, want) {
		t.Errorf("spaces: %v", spaces)
	}
	if !c.Verified() || !c.Elements[2].Primitive() || c.Elements[1].Proof.Owner() != "rye" {
		t.Errorf("verified %t, runtime by %s", c.Verified(), c.Elements[1].Proof.Owner())
	}
}

// link writes n tools, each on the next, the last on end.
func link(s *ryetest.Space, prefix string, n int, end string) {
	for i := range n {
		next := fmt.Sprintf("%s%d", prefix, i+1)
		if i == n-1 {
			next = end
		}
		s.Tool(fmt.Sprintf("%s%d.yaml", prefix, i), ryetest.YAML(next))
	}
}

func TestResolveDepth(t *testing.T) {
	w := ryetest.New(t)
	link(w.Project, "ten", chain.MaxDepth-1, ryetest.Execute)
	link(w.Project, "eleven", chain.MaxDepth, ryetest.Execute)
	r := w.Resolver()
	if c := mustResolve(t, r, "ten0"); len(c.Elements) != 10 {
		t.Errorf("%d elements", len(c.Elements))
	}
	c, err := r.Resolve(tool("eleven0"))
	refused(t, err, item.TypeChain, "Chain too deep (max 10): eleven0.")
	if len(c.Elements) != 10 {
		t.Errorf("the error comes with %d elements", len(c.Elements))
	}
}

func TestResolveRefusals(t *testing.T) {
	w := ryetest.New(t)
	link(w.Project, "circle", 3, "circle1")
	w.Project.Tool("self.yaml", ryetest.YAML("self"))
	w.Project.Tool("lost.yaml", ryetest.YAML("no/such/runtime"))
	w.Project.Tool("end.yaml", ryetest.YAML("null"))
	w.Project.Tool("library.py", "x = 1\n")
	w.Project.Tool("escape.yaml", ryetest.YAML("../x"))
	w.Project.Tool("empty.yaml", ryetest.YAML(`""`))
	w.Project.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute))
	w.User.Tool("mine.yaml", ryetest.YAML("runtime"))
	w.System.Tool("shipped.yaml", ryetest.YAML("runtime"))
	r := w.Resolver()
	for _, test := range []struct {
		id      string
		errType item.ErrorType
		message string
		built   []string
	}{
		{"none", item.TypeNotFound, "Tool not found: none", nil},
		{"circle0", item.TypeChain, "Circular dependency detected: circle1", []string{"circle0", "circle1", "circle2"}},
		{"self", item.TypeChain, "Circular dependency detected: self", []string{"self"}},
		{"lost", item.TypeChain, "Executor not found: no/such/runtime.", []string{"lost"}},
		{"end", item.TypeChain, "Unknown primitive: end", []string{"end"}},
		{"library", item.TypeChain, "Item does not declare an executor: 'library'.", []string{"library"}},
		{"escape", item.TypeChain, w.Project.Path(".ai/tools/escape.yaml") + ":5:", nil},
		{"empty", item.TypeChain, w.Project.Path(".ai/tools/empty.yaml") + ":5:", nil},
		{"mine", item.TypeChain, "Executor not found: runtime. Required by mine (user space).", []string{"mine"}},
		{"shipped", item.TypeChain, "Executor not found: runtime. Required by shipped (system space).", []string{"shipped"}},
	} {
		c, err := r.Resolve(tool(test.id))
		refused(t, err, test.errType, test.message)
		if !slices.Equal(c.IDs(), test.built) && len(c.IDs())+len(test.built) > 0 {
			t.Errorf("%s: the error comes with %v", test.id, c.IDs())
		}
	}
}

// A user tool finds its runtime in its own space even while the project shadows it.
func TestResolveLooksFromTheElementsOwnSpace(t *testing.T) {
	w := ryetest.New(t)
	w.User.Tool("mine.yaml", ryetest.YAML("runtime"))
	w.User.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute))
	w.Project.Tool("runtime.yaml", ryetest.YAML(ryetest.Execute))
	w.Project.Tool("ours.yaml", ryetest.YAML("runtime"))
	r := w.Resolver()
	for id, want := range map[string]space.Label{"mine": space.User, "ours": space.Project} {
		if got := mustResolve(t, r, id).Elements[1].Space(); got != want {
			t.Errorf("%s runs on the runtime of %s space, want %s", id, got, want)
		}
	}
}

func TestResolveVerifiesEveryElement(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("x.yaml", ryetest.YAML("runtime"))
	w.Project.Write(".ai/tools/runtime.yaml", ryetest.YAML(ryetest.Execute))
	_, err := w.Resolver().Resolve(tool("x"))
	refused(t, err, item.TypeIntegrity, "Unsigned item: "+w.Project.Path(".ai/tools/runtime.yaml"))

	c, err := w.Resolver().Inspect(tool("x"))
	if err != nil || c.Verified() || c.Elements[0].Failure != nil || item.TypeOf(c.Elements[1].Failure) != item.TypeIntegrity {
		t.Errorf("inspected: %+v, %v", c, err)
	}
}
