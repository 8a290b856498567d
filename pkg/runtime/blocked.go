package runtime

import (
	"slices"
	"strings"
)

// blockedNames and blockedPrefixes change which code runs, whom it talks to or where it finds its configuration
// (field §3.2). Project files and callers can never set them; signed chain elements and the person's own environment can.
var blockedNames = []string{
	// loader and C library
	"GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "RES_OPTIONS", "HOSTALIASES",
	// Python
	"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONUSERBASE", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
	"PYTHONPYCACHEPREFIX", "PYTHONPLATLIBDIR", "PYTHONSAFEPATH", "PYTHONEXECUTABLE", "VIRTUAL_ENV", "CONDA_PREFIX",
	// Node
	"NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_REPL_EXTERNAL_MODULE",
	// shells
	"BASH_ENV", "ENV", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "IFS", "CDPATH", "ZDOTDIR", "FPATH",
	// other languages
	"PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH",
	// git and ssh
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS",
	// programs that other programs start
	"EDITOR", "VISUAL", "PAGER", "LESSOPEN", "LESSCLOSE", "MANPAGER", "BROWSER", "TERMINFO", "TERMCAP",
	// where things are found
	"PATH", "HOME", "TMPDIR", "USER_SPACE", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"NO_PROXY", "AWS_CONFIG_FILE", "KUBECONFIG", "DOCKER_HOST", "DOCKER_CONFIG",
	// builds
	"RUSTC_WRAPPER", "GOFLAGS", "GOPROXY", "GONOSUMDB", "GOENV", "MAKEFLAGS", "CC", "CXX",
}

var blockedPrefixes = []string{
	"LD_", "DYLD_", "MALLOC_", "NPM_CONFIG_", "BUN_", "DENO_", "BASH_FUNC_", "GIT_CONFIG", "XDG_", "CARGO_", "PIP_", "UV_",
	"POETRY_", "RYE_",
}

// Blocked reports whether a variable may not come from project files or callers. Case does not matter: some systems
// and some programs ignore it.
func Blocked(name string) bool {
	upper := strings.ToUpper(name)
	if slices.Contains(blockedNames, upper) || strings.HasSuffix(upper, "_PROXY") {
		return true
	}
	return slices.ContainsFunc(blockedPrefixes, func(p string) bool { return strings.HasPrefix(upper, p) })
}
