package main

import "github.com/ryeos/rye/pkg/engine"

// sandboxed recognises the hidden verb that rye starts for a confined tool, `rye _sandbox-exec POLICY -- PROGRAM …`. main
// asks before any command is built, because every confined run pays for it.
func sandboxed(args []string) bool { return len(args) > 1 && args[1] == engine.SandboxVerb }
