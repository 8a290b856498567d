package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/hostile"
)

func TestDotEnvCannotChooseWhatRuns(t *testing.T) {
	g := newGround(t)
	g.echo()
	lines := []string{"HARMLESS=hostile", "  export PATH = hostile", `LD_PRELOAD="hos\ttile`, `more" PATH=hostile`}
	for i, name := range hostile.Variables {
		lines = append(lines, []string{"", "export "}[i%2]+name+`="hostile"`)
	}
	g.write(".env", strings.Join(lines, "\n")+"\n")
	for _, mode := range []string{"inherit", "minimal"} {
		out := g.rye("--env", mode, "execute", "tool:echo/tool", "--text", "", "--command", "")
		child := g.childEnvironment(out)
		if !slices.Contains(child, "HARMLESS=hostile") {
			t.Errorf("%s: .env was not read: %v", mode, child)
		}
		for _, variable := range child {
			if strings.Contains(variable, "hos") && variable != "HARMLESS=hostile" {
				t.Errorf("%s: .env has set %s", mode, variable)
			}
		}
	}
}

func TestCallersCannotChooseWhatRuns(t *testing.T) {
	g := newGround(t)
	g.echo()
	for _, name := range hostile.Variables {
		params, err := json.Marshal(map[string]any{"text": "", "command": "", "env": map[string]string{name: "hostile"}})
		if err != nil {
			t.Fatal(err)
		}
		out := g.rye("execute", "tool:echo/tool", "--params", string(params))
		if doc := g.document(out); out.code != exitPermission || !strings.Contains(doc["error"].(string), name) {
			t.Errorf("%s: left with %d and %v", name, out.code, doc)
		}
	}
}

// theirs are the variables that a run needs as they are, so that a test cannot set them to anything.
var theirs = []string{"PATH", "HOME", "TMPDIR", "USER_SPACE", "RYE_SIGNING_KEY", "RYE_SIGNING_KEY_DIR", "RYE_BIN"}

// The person's own environment passes as it is when the person calls, and hardly at all when an agent does.
func TestOwnEnvironmentPassesOnlyInInheritMode(t *testing.T) {
	g := newGround(t)
	g.echo()
	folder := filepath.Join(t.TempDir(), "hostile") // some of the variables are search paths: relative ones are dropped
	var set []string
	for _, name := range hostile.Variables {
		if !slices.Contains(theirs, name) {
			set = append(set, name+"="+folder)
		}
	}
	for _, words := range []string{"execute R", "--env inherit execute R", "--env minimal execute R", "execute --env=minimal R", "execute R --env minimal"} {
		cmd := g.command(append(strings.Fields(strings.ReplaceAll(words, "R", "tool:echo/tool")), "--text", "", "--command", "")...)
		cmd.Env = append(cmd.Env, set...)
		child := g.childEnvironment(g.run(cmd))
		for _, variable := range set {
			if got := slices.Contains(child, variable); got == strings.Contains(words, "minimal") {
				t.Errorf("rye %s: passes is %t for %s", words, got, variable)
			}
		}
	}
}

// Configuration is data for the tool that asks for it, whatever its keys are called.
func TestConfigurationSetsNoVariables(t *testing.T) {
	g := newGround(t)
	g.echo()
	content := "version: \"1.0.0\"\ncategory: CATEGORY\nenv: &names\n"
	for _, name := range hostile.Variables {
		content += fmt.Sprintf("  %q: hostile\n", name)
	}
	content += "env_config: {env: *names}\nvariables: *names\n"
	g.write(".ai/config/my/settings.yaml", strings.Replace(content, "CATEGORY", "my", 1))
	g.write(".ai/config/execution/execution.yaml", strings.Replace(content, "CATEGORY", "execution", 1)+"defaults: {env: *names, timeout: 60}\ntools: {echo/asks: {env: *names}}\n")
	g.write(".ai/tools/echo/asks.yaml", `version: "1.0.0"
tool_type: echo
executor_id: echo/runtime
category: echo
description: "Asks for configuration"
config_resolve: {path: my/settings.yaml, mode: deep_merge}
`)
	g.sign()
	out := g.rye("execute", "tool:echo/asks")
	for _, variable := range g.childEnvironment(out) {
		if strings.Contains(variable, "hostile") {
			t.Errorf("configuration has set %s", variable)
		}
	}
	var response struct{ Data arrival }
	if err := json.Unmarshal([]byte(out.stdout), &response); err != nil || !strings.Contains(bytesOf(response.Data.Stdin), `"LD_PRELOAD":"hostile"`) {
		t.Errorf("the configuration did not arrive as data: %v, %+v", err, out)
	}
}

// childEnvironment is what the program argv-json found in its environment.
func (g *ground) childEnvironment(out outcome) []string {
	g.Helper()
	var response struct{ Data struct{ Env []string } }
	if err := json.Unmarshal([]byte(out.stdout), &response); err != nil || out.code != 0 || len(response.Data.Env) == 0 {
		g.Fatalf("%v: %+v", err, out)
	}
	return response.Data.Env
}
