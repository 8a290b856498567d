package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/mcptest"
)

func init() { helpers["mcp-conformance-client"] = mcptest.ConformanceClient }

// TestConformanceClient has the official suite test rye as a client.
func TestConformanceClient(t *testing.T) {
	conformance(t, "client", func(*testing.T) []string { return []string{"--command", "mcp-conformance-client"} })
}

// TestConformanceListed: docs/mcp.md says of every scenario of the suite, and of no other, whether rye passes it.
func TestConformanceListed(t *testing.T) {
	var has, said []string
	for _, s := range mcptest.Scenarios(t) {
		has = append(has, s.Role+" "+s.Name)
	}
	for _, row := range conformanceRows(t) {
		for _, name := range row.scenarios {
			if scenario, _, isCheck := strings.Cut(name, ":"); !isCheck {
				said = append(said, row.role+" "+scenario)
			}
		}
	}
	slices.Sort(has)
	slices.Sort(said)
	for _, s := range has {
		if !slices.Contains(said, s) {
			t.Errorf("docs/mcp.md does not name the scenario %s", s)
		}
	}
	for i, s := range said {
		if !slices.Contains(has, s) {
			t.Errorf("the suite has no scenario %s", s)
		} else if i > 0 && said[i-1] == s {
			t.Errorf("docs/mcp.md names the scenario %s twice", s)
		}
	}
}

// conformance runs every scenario for a role that docs/mcp.md says rye passes, in each version of the protocol.
func conformance(t *testing.T, role string, args func(*testing.T) []string) {
	var passes, fails []string
	for _, row := range conformanceRows(t) {
		if row.role == role && row.result == "passes" {
			passes = append(passes, row.scenarios...)
		} else if row.role == role {
			fails = append(fails, row.scenarios...)
		}
	}
	for _, s := range mcptest.Scenarios(t) {
		if s.Role != role || !slices.Contains(passes, s.Name) {
			continue
		}
		versions := s.Versions
		if len(versions) == 0 {
			versions = []string{""} // an extension
		}
		for _, version := range versions {
			t.Run(strings.TrimSuffix(s.Name+"@"+version, "@"), func(t *testing.T) {
				t.Parallel()
				s.Run(t, version, checksOf(s.Name, fails), args(t)...)
			})
		}
	}
}

// checksOf are the checks of a scenario among names of the form SCENARIO:CHECK.
func checksOf(scenario string, names []string) []string {
	var checks []string
	for _, name := range names {
		if check, ok := strings.CutPrefix(name, scenario+":"); ok {
			checks = append(checks, check)
		}
	}
	return checks
}

type conformanceRow struct {
	role      string
	scenarios []string // SCENARIO, or SCENARIO:CHECK for a part of one
	result    string   // "passes", or why it does not apply
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// conformanceRows reads the table of docs/mcp.md.
func conformanceRows(t *testing.T) []conformanceRow {
	t.Helper()
	data, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## Conformance\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []conformanceRow
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.Contains(cells[2], "`") {
			continue
		}
		row := conformanceRow{role: strings.TrimSpace(cells[1]), result: strings.TrimSpace(cells[3])}
		for _, match := range codeSpan.FindAllStringSubmatch(cells[2], -1) {
			row.scenarios = append(row.scenarios, match[1])
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatal(fmt.Errorf("docs/mcp.md has no table below Conformance"))
	}
	return rows
}
