package mcptest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Scenario is one scenario of the official conformance suite.
type Scenario struct {
	Role     string // what is tested: client, server or authorization
	Name     string
	Versions []string // of the protocol, in which it applies; none for an extension
}

var (
	scenarioRole = regexp.MustCompile(`^(\w+)[\w ]* scenarios \(`)
	scenarioLine = regexp.MustCompile(`^ +- (\S+) \[(\S+)\]$`)
)

// Scenarios lists all that the suite has.
func Scenarios(t testing.TB) []Scenario {
	t.Helper()
	out, err := suite(t, "list").Output()
	if err != nil {
		t.Fatalf("the suite does not list its scenarios: %v", err)
	}
	var role string
	var all []Scenario
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		if match := scenarioRole.FindStringSubmatch(line); match != nil {
			role = strings.ToLower(match[1])
		} else if match := scenarioLine.FindStringSubmatch(line); match != nil && role != "" {
			s := Scenario{Role: role, Name: match[1]}
			if match[2] != "extension" {
				s.Versions = strings.Split(match[2], ",")
			}
			all = append(all, s)
		} else if line != "" {
			t.Fatalf("cannot read the suite's list: %q", line)
		}
	}
	return all
}

// Run runs the scenario in one version of the protocol. Of its checks those may fail whose ids are given; they must.
func (s Scenario) Run(t testing.TB, version string, failing []string, args ...string) {
	t.Helper()
	results := t.TempDir()
	args = append([]string{s.Role, "--scenario", s.Name, "--output-dir", results}, args...)
	if version != "" {
		args = append(args, "--spec-version", version)
	}
	if len(failing) > 0 {
		args = append(args, "--expected-failures", s.baseline(t, failing))
	}
	out, err := suite(t, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	} else if !proven(t, results) {
		t.Errorf("nothing was tested:\n%s", out)
	}
}

// baseline is the file that tells the suite which checks fail. It complains of those that do not.
func (s Scenario) baseline(t testing.TB, failing []string) string {
	text := s.Role + ":\n"
	for _, check := range failing {
		text += "  - " + s.Name + ":" + check + "\n"
	}
	file := filepath.Join(t.TempDir(), "baseline.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// proven reports whether a check of the scenario itself has succeeded. The suite is content when all were skipped.
func proven(t testing.TB, results string) bool {
	var files []string
	for _, depth := range []string{"*", "*/*"} { // some scenarios have names with a slash
		found, err := filepath.Glob(filepath.Join(results, filepath.FromSlash(depth), "checks.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) != 1 {
		t.Fatalf("the suite wrote the results %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var checks []struct{ ID, Status string }
	if err := json.Unmarshal(data, &checks); err != nil {
		t.Fatal(err)
	}
	for _, check := range checks {
		if check.Status == "SUCCESS" && !strings.HasPrefix(check.ID, "wire-schema-") {
			return true
		}
	}
	return false
}

// suite is a run of the suite, which ends in time.
func suite(t testing.TB, args ...string) *exec.Cmd {
	folder := Installed(t, "conformance")
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	oldNode := filepath.Join(root, "internal", "mcptest", "conformance", "oldnode.mjs")
	program := filepath.Join(folder, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	cmd := exec.CommandContext(ctx, "node", append([]string{"--import", oldNode, program}, args...)...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	cmd.WaitDelay = 5 * time.Second
	return cmd
}
