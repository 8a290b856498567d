package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// blocked are names that decide which code runs, where it is found and whom it talks to; a project has no say in them.
var blocked = []string{
	"PATH", "HOME", "TMPDIR", "USER_SPACE", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES",
	"GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "MALLOC_CHECK_", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT",
	"PYTHONPYCACHEPREFIX", "PYTHONSAFEPATH", "PYTHONWARNINGS", "PYTHONBREAKPOINT", "NODE_OPTIONS", "NODE_PATH",
	"NPM_CONFIG_PREFIX", "npm_config_prefix", "BUN_INSTALL", "DENO_DIR", "BASH_ENV", "ENV", "PS4", "PROMPT_COMMAND",
	"SHELLOPTS", "BASHOPTS", "IFS", "CDPATH", "ZDOTDIR", "FPATH", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB",
	"JAVA_TOOL_OPTIONS", "CLASSPATH", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "GIT_EXTERNAL_DIFF", "EDITOR", "PAGER",
	"LESSOPEN", "XDG_CONFIG_HOME", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "DOCKER_HOST", "KUBECONFIG",
	"CARGO_HOME", "RUSTC_WRAPPER", "GOFLAGS", "GOPROXY", "MAKEFLAGS", "CC", "PIP_INDEX_URL", "UV_INDEX_URL",
	"RYE_PYTHON", "RYE_NODE", "RYE_BIN", "RYE_DEV_MODE", "RYE_SIGNING_KEY", "Path", "ld_preload",
}

func TestDotEnvCannotChooseWhatRuns(t *testing.T) {
	g := newGround(t)
	g.echo()
	lines := []string{"HARMLESS=hostile", "  export PATH = hostile", `LD_PRELOAD="hos\ttile`, `more" PATH=hostile`}
	for i, name := range blocked {
		lines = append(lines, []string{"", "export "}[i%2]+name+`="hostile"`)
	}
	g.write(".env", strings.Join(lines, "\n")+"\n")
	for _, mode := range []string{"inherit", "minimal"} {
		out := g.rye("--env", mode, "execute", "tool:echo/tool", "--text", "", "--command", "")
		var response struct{ Data struct{ Env []string } }
		if err := json.Unmarshal([]byte(out.stdout), &response); err != nil || out.code != 0 {
			t.Fatalf("%v: %+v", err, out)
		}
		if !slices.Contains(response.Data.Env, "HARMLESS=hostile") {
			t.Errorf("%s: .env was not read: %v", mode, response.Data.Env)
		}
		for _, variable := range response.Data.Env {
			if strings.Contains(variable, "hos") && variable != "HARMLESS=hostile" {
				t.Errorf("%s: .env has set %s", mode, variable)
			}
		}
	}
}

func TestCallersCannotChooseWhatRuns(t *testing.T) {
	g := newGround(t)
	g.echo()
	for _, name := range blocked {
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
