package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ryeos/rye/pkg/confine"
)

// checkSandbox says what this kernel can confine tools with.
func (e *Engine) checkSandbox(context.Context) []Check {
	var uts unix.Utsname
	kernel := "unknown"
	if unix.Uname(&uts) == nil {
		kernel = unix.ByteSliceToString(uts.Release[:])
	}
	support := confine.Probe()
	checks := []Check{passed("kernel", "%s", kernel)}
	if support.ABI > 0 {
		checks = append(checks, passed("landlock", "ABI %d", support.ABI))
	} else {
		checks = append(checks, warned("landlock", "boot a kernel from 5.13 on, with landlock in its lsm= list",
			"missing: tools cannot be kept from files"))
	}
	if support.Seccomp {
		checks = append(checks, passed("seccomp", "available"))
	} else {
		checks = append(checks, warned("seccomp", "boot a kernel with CONFIG_SECCOMP_FILTER", "missing: system calls cannot be refused"))
	}
	return append(checks, userNamespaces(), delegatedCgroup(), subreaper())
}

func userNamespaces() Check {
	for _, knob := range []struct{ file, off string }{
		{"/proc/sys/user/max_user_namespaces", "0"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0"},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"},
	} {
		if data, err := os.ReadFile(knob.file); err == nil && strings.TrimSpace(string(data)) == knob.off {
			return noted("user namespaces", "switched off by %s; rye does not need them", knob.file)
		}
	}
	if _, err := os.Stat("/proc/self/ns/user"); err != nil {
		return noted("user namespaces", "missing; rye does not need them")
	}
	return passed("user namespaces", "available")
}

// delegatedCgroup tells whether this process may make control groups below its own.
func delegatedCgroup() Check {
	data, err := os.ReadFile("/proc/self/cgroup")
	own := ""
	for line := range strings.Lines(string(data)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			own = filepath.Join("/sys/fs/cgroup", path)
		}
	}
	if _, statErr := os.Stat(filepath.Join(own, "cgroup.procs")); err != nil || own == "" || statErr != nil {
		return noted("cgroups", "no version 2 hierarchy: memory and process limits of tools are not available")
	}
	if !writable(own) {
		return noted("cgroups", "version 2, not delegated to you (%s)", own)
	}
	return passed("cgroups", "version 2, delegated: %s", own)
}

func subreaper() Check {
	if _, err := unix.PrctlRetInt(unix.PR_GET_CHILD_SUBREAPER, 0, 0, 0, 0); err != nil && err != unix.EFAULT {
		return warned("subreaper", "boot a kernel from 3.4 on", "missing (%v): what tools leave behind cannot be adopted", err)
	}
	return passed("subreaper", "available: nothing that a tool starts outlives it")
}

func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }

func freeSpace(dir string) (bytes uint64, known bool) {
	var stat unix.Statfs_t
	if unix.Statfs(dir, &stat) != nil {
		return 0, false
	}
	return stat.Bavail * uint64(stat.Bsize), true
}
