package runtime_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// TestSandboxSilent: what should have confined itself ends without a word, so nobody knows what ran.
func TestSandboxSilent(t *testing.T) {
	_, in := yamlTool(t, "config: {command: /bin/sh, args: [-c, exit]}")
	in.Sandbox.Wanted, in.Binary = true, "/bin/true"
	p := plan(t, in, nil)
	_, err := p.Run(t.Context(), nil, nil)
	if item.TypeOf(err) != item.TypePermission || !strings.HasPrefix(err.Error(), "the sandbox was not set up") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(in.Cache, "sandbox")); err != nil || len(left) > 0 {
		t.Errorf("a private folder is left: %v, %v", left, err)
	}
}

// TestSandboxWithoutRye: a program that embeds the engine may not know where rye is, which confines.
func TestSandboxWithoutRye(t *testing.T) {
	_, in := yamlTool(t, "config: {command: /bin/sh, args: [-c, 'echo 1']}")
	in.Sandbox.Wanted, in.Binary = true, ""
	p := plan(t, in, nil)
	if result, err := p.Run(t.Context(), nil, nil); err != nil || result.Stdout.String() != "1\n" {
		t.Errorf("without being required: %+v, %v", result, err)
	}
	if !strings.HasPrefix(p.Sandbox.Warning, "the sandbox is not complete") || len(p.Sandbox.Facts.Realised) > 0 {
		t.Errorf("%+v", p.Sandbox)
	}
	in.Sandbox.Required = true
	refusedPlan(t, in, nil, item.TypePermission, "the sandbox is not complete")
}
