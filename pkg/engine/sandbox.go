package engine

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/ryeos/rye/pkg/confine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// SandboxVerb is the verb behind which RunSandboxed stands.
const SandboxVerb = runtime.SandboxVerb

// RunSandboxed confines this process and turns it into a program: POLICY -- PROGRAM [ARGUMENT…]. It returns, with an
// exit code, only if that fails; the program did not run then.
func RunSandboxed(args []string) int { return confine.Main(args) }

// sandbox is what a request asks of a sandbox, and what none may touch: the signing key, the tokens of MCP, and rye's own settings,
// which decide whom it trusts.
func (e *Engine) sandbox(req item.Request) runtime.SandboxOptions {
	o := runtime.SandboxOptions{Wanted: req.Sandbox, Required: req.RequireSandbox, Hidden: []string{e.options.KeyDir}}
	for _, tokens := range []string{mcpGrantsDir, mcpTokenFile} {
		o.Hidden = append(o.Hidden, filepath.Join(e.options.User, space.Dir, filepath.FromSlash(tokens)))
	}
	if dir, err := os.UserConfigDir(); err == nil {
		o.Fixed = append(o.Fixed, filepath.Join(dir, "rye"))
	}
	return o
}

// warn tells people and the response.
func (c *Call) warn(message string) {
	c.engine.options.Warn(message)
	own := *c.chain // the resolver's cache hands the same chain to other calls
	own.Warnings = append(slices.Clip(own.Warnings), message)
	c.chain = &own
}
