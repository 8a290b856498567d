package hostile

// Variables choose which code runs, where it is found, or whom it talks to. Neither a project's files nor a caller may
// set one. Where a rule is about a prefix or a suffix there are examples of it, and some names are in another case.
var Variables = []string{
	// the loader and the C library
	"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "ld_preload", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "GLIBC_TUNABLES",
	"GCONV_PATH", "LOCPATH", "MALLOC_CHECK_", "MALLOC_PERTURB_", "RES_OPTIONS", "HOSTALIASES",
	// Python
	"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONUSERBASE", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
	"PYTHONPYCACHEPREFIX", "PYTHONPLATLIBDIR", "PYTHONSAFEPATH", "VIRTUAL_ENV",
	// JavaScript
	"NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_REPL_EXTERNAL_MODULE", "NPM_CONFIG_PREFIX", "npm_config_prefix",
	"npm_config_script_shell", "BUN_INSTALL", "DENO_DIR",
	// shells
	"BASH_ENV", "ENV", "BASH_FUNC_ls%%", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "IFS", "CDPATH", "ZDOTDIR", "FPATH",
	// other languages
	"PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH",
	// git and ssh
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0",
	"GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS",
	// programs that programs start
	"EDITOR", "VISUAL", "PAGER", "LESSOPEN", "LESSCLOSE", "MANPAGER", "BROWSER", "TERMINFO", "TERMCAP",
	// where things are found, and whom to trust
	"PATH", "Path", "HOME", "TMPDIR", "USER_SPACE", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy",
	"AWS_CONFIG_FILE", "KUBECONFIG", "DOCKER_HOST", "DOCKER_CONFIG",
	// builds
	"CARGO_HOME", "CARGO_BUILD_RUSTC_WRAPPER", "RUSTC_WRAPPER", "GOFLAGS", "GOPROXY", "GONOSUMDB", "GOENV", "MAKEFLAGS", "CC",
	"CXX", "PIP_INDEX_URL", "pip_index_url", "UV_INDEX_URL", "POETRY_HOME",
	// rye itself
	"RYE_PYTHON", "RYE_NODE", "RYE_BIN", "RYE_DEV_MODE", "RYE_SIGNING_KEY", "RYE_SIGNING_KEY_DIR",
}
