// Package confine takes rights away from a process before it becomes a tool: through Landlock, no_new_privs and a
// seccomp filter on Linux; elsewhere it says that it cannot. What it takes can never be given back, so it acts in a
// process that does nothing else than becoming the tool.
package confine

import (
	"path/filepath"
	"slices"
)

// Policy is what a program may do. Paths are absolute and hold no symbolic links: see RealPath. Folders that every
// program needs, such as /usr and /proc, are readable without being named.
type Policy struct {
	Read  []string `json:"read"`
	Write []string `json:"write"` // readable, too
	Temp  string   `json:"temp"`  // writable wherever it lies

	// Hidden and Fixed are taken out of everything that Read and Write grant: what is in Hidden cannot be read or
	// written, what is in Fixed cannot be written.
	Hidden []string `json:"hidden"`
	Fixed  []string `json:"fixed"`

	Net bool `json:"net"` // sockets are allowed

	// Promised are the controls without which the program must not start. Report is an existing file that is told how
	// the confinement went.
	Promised []string `json:"promised"`
	Report   string   `json:"report"`
}

// Report is how a confinement went.
type Report struct {
	Realised []string `json:"realised"`
	Skipped  []string `json:"skipped"` // paths of Read and Write that were not granted, each with the reason
	Error    string   `json:"error"`   // why the program was not started
}

// systemFolders are what programs and their libraries need to start at all.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/snap", "/proc", "/sys",
	"/run/systemd/resolve", "/run/resolvconf",
}

// Readable reports whether a path can be read without being named in a policy.
func Readable(path string) bool {
	return slices.ContainsFunc(systemFolders, func(dir string) bool { return Inside(dir, path) })
}

// RealPath resolves the symbolic links of a path as far as it exists; what is missing is kept as it is written.
func RealPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(RealPath(parent), filepath.Base(path))
}

// Inside reports whether path is dir or lies below it, by whole elements.
func Inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
