package engine

import (
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// checkModes refuses thread and target modes that do not exist, before the item is looked for.
func checkModes(req item.Request) error {
	switch {
	case req.Thread != "" && req.Thread != "inline" && req.Thread != "fork":
		return item.Usagef(`Unknown thread mode: '%s'. Must be "inline" or "fork".`, req.Thread)
	case req.Target == "remote:":
		return item.Usagef(`Invalid target "remote:" — remote name cannot be empty. Use "remote" for the default remote or "remote:<name>" for a named remote.`)
	case req.Target != "" && req.Target != "local" && req.Target != "remote" && !strings.HasPrefix(req.Target, "remote:"):
		return item.Usagef(`Unknown target: '%s'. Must be "local", "remote", or "remote:<name>".`, req.Target)
	}
	return nil
}

// checkMatrix is the execution matrix of seed 002; the first failing rule wins (texts of spec/rye-core §8.2).
func checkMatrix(req item.Request, ref item.Ref) error {
	kind := ref.Kind
	remote := strings.HasPrefix(req.Target, "remote")
	fork := req.Thread == "fork"
	switch {
	case kind == item.Config:
		return item.Usagef("Unknown kind 'config': config items are not executable").Hint("rye show %s", ref)
	case kind == item.Knowledge:
		return item.Usagef("Knowledge items are not executable: they are read").Hint("rye show %s", ref)
	case kind == item.Agent:
		return item.Usagef("Agents are not executable yet. Tools and directives are; a directive with thread=\"fork\" is an agent with one side.").
			Hint("rye show %s", ref)
	case kind == item.Tool && fork:
		return item.Usagef(`thread="fork" is not supported for tools. Fork spawns a managed LLM thread, which only applies to directives. Use thread="inline" (default).`)
	case kind == item.Directive && remote && !fork:
		return item.Usagef(`Directives on remote must use thread="fork". The remote server needs to spawn an LLM thread to follow directive steps.`)
	case req.Async && req.DryRun:
		return item.Usagef("async + dry_run is not supported. Validation is instant, nothing to detach.")
	case req.Async && kind == item.Directive && !remote && !fork:
		return item.Usagef(`async + directive + inline is not supported. Inline directives return text for the agent to follow — there is nothing to detach. Use thread="fork" for async directives.`)
	case req.DryRun && remote:
		return item.Usagef("dry_run + remote is not supported. Dry run validates locally.")
	}
	return nil
}

// checkAvailable refuses what the matrix allows and this engine has no part for.
func checkAvailable(req item.Request, kind item.Kind) error {
	missing := ""
	switch {
	case strings.HasPrefix(req.Target, "remote"):
		missing = "execute on a remote"
	case kind == item.Directive && req.Thread == "fork":
		missing = "fork directives into threads"
	default:
		return nil
	}
	return item.Errorf(item.TypeUnavailable, "this version of rye cannot %s yet", missing)
}
