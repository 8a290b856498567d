package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// grantedTools are what capabilities let a model call: the verbs that take any item, where more than tools is granted,
// and each tool, those first that are named most exactly (spec/rye-agent §2.6).
func (e *Engine) grantedTools(granted graph.Capabilities) []agent.Tool {
	var tools []agent.Tool
	for _, verb := range []struct{ name, capability string }{
		{"rye/execute", "rye.execute.directive"}, {"rye/fetch", "rye.fetch"}, {"rye/sign", "rye.sign"},
	} {
		if slices.ContainsFunc(granted, func(c string) bool { return reaches(c, verb.capability) }) {
			tools = append(tools, agent.Tool{Name: verb.name})
		}
	}
	entries, err := e.spaces.List(item.Tool)
	if err != nil {
		return tools // the folder that cannot be read has no tool that could run either
	}
	exactness := map[string]int{}
	var ids []string
	for _, entry := range entries {
		n := exactnessOf(granted, entry.Ref)
		if n > 0 && entry.ShadowedBy == nil && isCallable(entry) {
			exactness[entry.Ref.ID] = n
			ids = append(ids, entry.Ref.ID)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(exactness[b], exactness[a]), cmp.Compare(a, b))
	})
	for _, id := range ids {
		tools = append(tools, agent.Tool{Name: id})
	}
	return tools
}

// reaches reports whether a capability grants something that begins like this.
func reaches(capability, prefix string) bool {
	literal, _, wild := strings.Cut(capability, "*")
	return strings.HasPrefix(literal, prefix) || wild && strings.HasPrefix(prefix, literal)
}

// exactnessOf is how much of a tool's name the capabilities spell out, 0 if they do not cover it.
func exactnessOf(granted graph.Capabilities, ref item.Ref) int {
	required := "rye.execute.tool." + strings.ReplaceAll(ref.ID, "/", ".")
	most := 0
	for _, c := range granted {
		switch {
		case c == required:
			return math.MaxInt
		case graph.Capabilities{c}.Cover(required):
			literal, _, _ := strings.Cut(c, "*")
			most = max(most, len(literal))
		}
	}
	return most
}

// isCallable leaves out libraries, runtimes and what nothing runs.
func isCallable(entry space.Entry) bool {
	data, _, err := entry.Read()
	if err != nil {
		return false
	}
	meta, err := item.ParseMetadata(item.Tool, entry.Display(), data)
	return err == nil && meta.ExecutorID != "" && meta.ToolType != "runtime"
}
