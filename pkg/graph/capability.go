package graph

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Capabilities say what a run may do: patterns such as `rye.execute.tool.rye.*`, in which a star stands for any text,
// dots included (spec/rye-agent §2.4). No capabilities allow nothing.
type Capabilities []string

// wildcards are the bytes that make a capability a pattern.
const wildcards = `*?[\`

// Cover tells whether some capability allows what is required. `P.*` covers P itself, too.
func (c Capabilities) Cover(required string) bool {
	return slices.ContainsFunc(c, func(capability string) bool { return covers(capability, required) })
}

func covers(capability, required string) bool {
	if strings.ContainsAny(capability+required, `/\`) {
		return false // no capability has them, and path.Match reads them in its own way
	}
	matched, err := path.Match(strings.ReplaceAll(capability, "[!", "[^"), required)
	return err == nil && matched || capability == required+".*"
}

// Attenuate gives what both sides allow: a capability that is within the limit stays, one that is wider than parts of
// the limit becomes those parts, and any other goes.
func (c Capabilities) Attenuate(limit Capabilities) Capabilities {
	var both Capabilities
	for _, own := range c {
		for _, bound := range limit {
			switch {
			case within(own, bound):
				both = append(both, own)
			case within(bound, own):
				both = append(both, bound)
			}
		}
	}
	slices.Sort(both)
	return slices.Compact(both)
}

// within tells whether everything that capability covers is covered by limit. To match one pattern with another as if it
// were text would not tell: `t.?` matches the text `t.*`. Among patterns, only prefixes are compared.
func within(capability, limit string) bool {
	literal := strings.IndexAny(capability, wildcards)
	if literal < 0 {
		return covers(limit, capability)
	}
	prefix, open := strings.CutSuffix(limit, "*")
	return capability == limit || open && !strings.ContainsAny(prefix, wildcards) && strings.HasPrefix(capability[:literal], prefix)
}

// internalPrefix is where the tools live that runs need themselves.
const internalPrefix = "rye/agent/threads/internal/"

// Permit tells why an action must not run, nil if it may.
func (c Capabilities) Permit(a Action) error {
	if a.Primary == "execute" && a.Ref.Kind == item.Tool && strings.HasPrefix(a.Ref.ID, internalPrefix) {
		return nil
	}
	required := a.Capability()
	switch {
	case len(c) == 0:
		return permissionError("Permission denied: no capabilities. Cannot %s '%s'", a.Primary, a.target())
	case !c.Cover(required):
		return permissionError("Permission denied: '%s' not covered by capabilities", required)
	}
	return nil
}

func permissionError(format string, args ...any) error {
	return &item.Error{Type: item.TypePermission, Message: fmt.Sprintf(format, args...)}
}
