package engine

import (
	"slices"
	"strings"
)

// Names that an envelope cannot set: they decide which program runs, where it finds its files, what it trusts, or they are
// those of the machine that it runs on.
var (
	reservedVariables = []string{
		"PATH", "HOME", "USER", "SHELL", "LANG", "TERM", "PYTHONPATH", "PYTHONHOME", "PYTHON_PATH", "TMPDIR", "TEMP", "TMP",
		"RYE_SIGNING_KEY_DIR", "RYE_KERNEL_PYTHON", "RYE_REMOTE_NAME", "RYE_NODE_CONFIG", "USER_SPACE", "VIRTUAL_ENV",
		"CONDA_PREFIX", "LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES",
	}
	reservedPrefixes = []string{
		"SUPABASE_", "MODAL_", "LD_", "SSL_", "AWS_", "GOOGLE_", "AZURE_", "GITHUB_", "CI_", "DOCKER_", "RYE_INTERNAL_",
	}
)

// maySet reports whether an envelope may set a variable.
func maySet(name string) bool {
	return isVariableName(name) && !slices.Contains(reservedVariables, name) &&
		!slices.ContainsFunc(reservedPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

func isVariableName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}
