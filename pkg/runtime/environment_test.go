package runtime_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/item"
)

// The order of seed 001: process, .env, primitive, runtime, tool. Each layer sets its own variable and all after it.
func TestEnvironmentOrder(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".env", "DOTENV=dotenv\nRUNTIME=dotenv\nTOOL=dotenv\n")
	w.Project.Tool("x.yaml", ryetest.YAML("r", "env_config: {env: {TOOL: tool}}"))
	w.Project.Tool("r.yaml", ryetest.YAML(ryetest.Execute, "config: {command: /bin/true}", "env_config: {env: {RUNTIME: runtime, TOOL: runtime}}"))
	in := w.Input("x")
	in.Env = w.Env("PROCESS=process", "DOTENV=process", "RUNTIME=process", "TOOL=process")
	p := plan(t, in, nil)
	for name, origin := range map[string]string{"PROCESS": "process", "DOTENV": ".env", "RUNTIME": "r", "TOOL": "x"} {
		if got, want := env(p, name), strings.TrimPrefix(strings.ToLower(name), "."); got != want || p.Env.Origin(name) != origin {
			t.Errorf("%s is %q, set by %s", name, got, p.Env.Origin(name))
		}
	}
}

func TestStaticEnvironment(t *testing.T) {
	_, in := yamlTool(t, "config: {command: /bin/true}", "env_config:", "  env:",
		`    FIRST: "a"`, `    SECOND: "${FIRST}b"`, `    SECOND_AGAIN: "${SECOND}c"`, `    FORWARD: "[${LATER}]"`, `    LATER: "x"`,
		`    DEFAULT: "${NONE:-fallback}"`, `    EMPTY: "${SET_EMPTY:-fallback}"`, `    NOTHING: "<${NONE}>"`,
		`    LOWER: "${lower}"`, `    NUMBER: 8080`, `    FLAG: true`, `    OPAQUE: "${CALLERS}"`,
		`    PATHS: "{project_path}:{anchor_path}"`, `    PARAM: "{name}"`)
	in.Env = append(in.Env, "SET_EMPTY=", "CALLERS=${FIRST} {project_path} $(id)", "lower=no")
	p := plan(t, in, map[string]any{"name": "Ada"})
	for name, want := range map[string]string{
		"SECOND": "ab", "SECOND_AGAIN": "abc", "FORWARD": "[]", "DEFAULT": "fallback",
		"EMPTY": "", "NOTHING": "<>", "LOWER": "${lower}", "NUMBER": "8080", "FLAG": "true",
		"OPAQUE": "${FIRST} {project_path} $(id)", // a value is never a template
		"PATHS":  in.Project + ":" + in.Project + "/.ai/tools",
		"PARAM":  "{name}", // the caller has no say in the environment of a chain
	} {
		if got := env(p, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestDotEnvIsNeverExpanded(t *testing.T) {
	w, in := yamlTool(t, `config: {command: /bin/echo, args: ["${SECRET}"]}`)
	w.Project.Write(".env", "SECRET=${HOME} {project_path} `id`\n")
	in.Env = append(in.Env, "HOME=/home/ann")
	p := plan(t, in, nil)
	if want := "${HOME} {project_path} `id`"; env(p, "SECRET") != want || p.Argv[1] != want {
		t.Errorf("in the environment %q, in the arguments %q", env(p, "SECRET"), p.Argv[1])
	}
}

// blocked are the names of field §3.2, one for each prefix and every single one.
const blocked = `LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GLIBC_TUNABLES GCONV_PATH LOCPATH MALLOC_CHECK_
RES_OPTIONS HOSTALIASES PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONUSERBASE PYTHONBREAKPOINT PYTHONWARNINGS
PYTHONPYCACHEPREFIX PYTHONPLATLIBDIR NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE
NPM_CONFIG_SCRIPT_SHELL npm_config_script_shell BUN_INSTALL DENO_DIR BASH_ENV ENV BASH_FUNC_ls PS4 PROMPT_COMMAND SHELLOPTS
BASHOPTS IFS CDPATH ZDOTDIR FPATH PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH
GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS EDITOR
VISUAL PAGER LESSOPEN LESSCLOSE MANPAGER BROWSER TERMINFO TERMCAP PATH HOME TMPDIR XDG_CONFIG_HOME SSL_CERT_FILE SSL_CERT_DIR
REQUESTS_CA_BUNDLE CURL_CA_BUNDLE HTTPS_PROXY http_proxy no_proxy AWS_CONFIG_FILE KUBECONFIG DOCKER_HOST DOCKER_CONFIG
CARGO_HOME RUSTC_WRAPPER GOFLAGS GOPROXY GONOSUMDB GOENV MAKEFLAGS CC CXX PIP_INDEX_URL UV_INDEX_URL POETRY_HOME
RYE_DEV_MODE RYE_BIN RYE_PYTHON`

func TestBlockedNamesOfProjectFiles(t *testing.T) {
	w, in := yamlTool(t, "config: {command: /bin/true}")
	names := strings.Fields(blocked)
	w.Project.Write(".env", strings.Join(names, "=planted\n")+"=planted\nALLOWED=yes\n")
	for _, minimal := range []bool{false, true} {
		in.Minimal = minimal
		p := plan(t, in, nil)
		for _, entry := range p.Env.List() {
			if strings.HasSuffix(entry, "=planted") {
				t.Errorf("minimal %t: %s reached the child", minimal, entry)
			}
		}
		if got := env(p, "ALLOWED"); got != "yes" {
			t.Errorf("minimal %t: ALLOWED is %s", minimal, got)
		}
	}
	for _, name := range names {
		refusedPlan(t, in, map[string]any{"env": map[string]any{name: "x"}}, item.TypePermission, "the variable \""+name+"\" cannot be set by a caller")
	}
}

// The person's own environment, and the signed chain, may set what project files may not.
func TestBlockedNamesOfPersonAndChain(t *testing.T) {
	w, in := yamlTool(t, "config: {command: /bin/true}", "env_config: {env: {PYTHONWARNINGS: chain}}")
	w.Project.Write(".env", "EDITOR=planted\n")
	in.Env = append(in.Env, "EDITOR=vi")
	p := plan(t, in, nil)
	if env(p, "EDITOR") != "vi" || env(p, "PYTHONWARNINGS") != "chain" {
		t.Errorf("EDITOR is %s, PYTHONWARNINGS is %s", env(p, "EDITOR"), env(p, "PYTHONWARNINGS"))
	}
}

func TestMinimalEnvironment(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".env", "FROM_DOTENV=yes\n")
	w.Project.Tool("x.yaml", ryetest.YAML("r", "env_config: {pass: [TOOLS_TOKEN, ABSENT]}"))
	w.Project.Tool("r.yaml", ryetest.YAML(ryetest.Execute, "config: {command: /bin/true}",
		`env_config: {env: {DECLARED: "${CHAINS_TOKEN}"}, pass: [RUNTIMES_TOKEN]}`))
	in := w.Input("x")
	in.Env = w.Env("HOME=/h", "LANG=C", "LC_ALL=C", "TERM=dumb", "TZ=UTC", "USER=ann", "TMPDIR=/t", "SHELL=/bin/sh", "LOGNAME=ann",
		"SSH_AUTH_SOCK=/agent", "AWS_SECRET_ACCESS_KEY=s", "TOOLS_TOKEN=t", "RUNTIMES_TOKEN=r", "CHAINS_TOKEN=c")
	in.Minimal = true
	p := plan(t, in, nil)
	want := []string{
		"DECLARED", "FROM_DOTENV", "HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "PWD", "RUNTIMES_TOKEN", "SHELL", "TERM", "TMPDIR",
		"TOOLS_TOKEN", "TZ", "USER",
	}
	if got := p.Env.Names(); !slices.Equal(got, want) {
		t.Errorf("the child gets %v, want %v", got, want)
	}
	if got := env(p, "DECLARED"); got != "c" {
		t.Errorf("a variable that the chain names is %q", got)
	}
	in.Minimal = false
	if got := env(plan(t, in, nil), "AWS_SECRET_ACCESS_KEY"); got != "s" {
		t.Errorf("inherited: %q", got)
	}
}

// An empty or relative entry of a search path means the current folder, from which nothing may be loaded.
func TestSearchPathsKeepAbsoluteEntries(t *testing.T) {
	_, in := yamlTool(t, "config: {command: /bin/true}")
	in.Env = []string{"PATH=:/usr/bin:.:bin::/bin", "PYTHONPATH=.:/opt/lib:"}
	p := plan(t, in, nil)
	if env(p, "PATH") != "/usr/bin:/bin" || env(p, "PYTHONPATH") != "/opt/lib" {
		t.Errorf("PATH is %s, PYTHONPATH is %s", env(p, "PATH"), env(p, "PYTHONPATH"))
	}
}
