package chain

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// validate checks every adjacent pair (seed 001; texts of spec/rye-core §3.4) and records the pairs.
func (c *Chain) validate() error {
	var issues []string
	for i := range len(c.Elements) - 1 {
		child, parent := c.Elements[i], c.Elements[i+1]
		issues = append(issues, spaceIssues(child, parent)...)
		issues = append(issues, streamIssues(child, parent)...)
		versionIssues, warnings := versionIssues(child, parent)
		issues = append(issues, versionIssues...)
		c.Warnings = append(c.Warnings, warnings...)
		c.Pairs = append(c.Pairs, child.ID+" -> "+parent.ID)
	}
	if len(issues) == 0 {
		return nil
	}
	c.Pairs = nil
	return item.Errorf(item.TypeChain, "Chain validation failed: %s", strings.Join(issues, "; "))
}

func spaceIssues(child, parent *Element) []string {
	cs, ps := child.Space(), parent.Space()
	var issues []string
	if cs.Rank() < ps.Rank() {
		issues = append(issues, fmt.Sprintf("Tool '%s' from %s space cannot depend on '%s' from %s space. "+
			"Lower precedence spaces cannot depend on higher precedence spaces.", child.ID, cs, parent.ID, ps))
	}
	if cs == space.System && ps != space.System {
		issues = append(issues, fmt.Sprintf("Invalid chain: system tool '%s' cannot delegate to mutable %s tool '%s'",
			child.ID, ps, parent.ID))
	}
	return issues
}

// streamIssues checks that what the parent needs is what the child gives; a missing declaration fits everything.
func streamIssues(child, parent *Element) []string {
	if len(child.Meta.Outputs) == 0 || len(parent.Meta.Inputs) == 0 {
		return nil
	}
	var missing []string
	for _, in := range parent.Meta.Inputs {
		if !slices.Contains(child.Meta.Outputs, in) {
			missing = append(missing, in)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("I/O mismatch: '%s' requires inputs %s not provided by '%s' (outputs: %s)",
		parent.ID, list(missing), child.ID, list(child.Meta.Outputs))}
}

func list(names []string) string { return "[" + strings.Join(names, ", ") + "]" }

// versionIssues checks the child's version against the parent's child_constraints, which are inclusive. A version that
// is no version cannot be said to fit, so it is an issue; a missing one is a warning.
func versionIssues(child, parent *Element) (issues, warnings []string) {
	want, ok := parent.Meta.ChildConstraints[child.ID]
	if !ok {
		return nil, nil
	}
	have := child.Meta.Version
	if have == "" {
		return nil, []string{fmt.Sprintf("'%s' has no version but '%s' specifies version constraints", child.ID, parent.ID)}
	}
	for _, v := range []string{have, want.Min, want.Max} {
		if v != "" && !semver.IsValid("v"+v) {
			return []string{fmt.Sprintf("Version constraint failed: '%s' is not a version, in the constraint of '%s' on '%s'",
				v, parent.ID, child.ID)}, nil
		}
	}
	if want.Min != "" && semver.Compare("v"+have, "v"+want.Min) < 0 {
		issues = append(issues, fmt.Sprintf("Version constraint failed: '%s' version %s < minimum required %s", child.ID, have, want.Min))
	}
	if want.Max != "" && semver.Compare("v"+have, "v"+want.Max) > 0 {
		issues = append(issues, fmt.Sprintf("Version constraint failed: '%s' version %s > maximum allowed %s", child.ID, have, want.Max))
	}
	return issues, nil
}
