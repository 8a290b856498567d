package runtime

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// standing is what a child has from its parent besides its environment: the user's rights, limits, namespaces, groups of
// processes. A call whose process stands elsewhere gets an interpreter of its own, or it would run with other rights.
func standing() string {
	var s strings.Builder
	for _, name := range []string{"cgroup", "attr/current", "oom_score_adj"} {
		data, _ := os.ReadFile("/proc/self/" + name)
		s.Write(data)
	}
	for _, name := range []string{"root", "ns/mnt", "ns/net", "ns/pid_for_children", "ns/user", "ns/uts", "ns/ipc", "ns/time_for_children"} {
		target, _ := os.Readlink("/proc/self/" + name)
		fmt.Fprintln(&s, target)
	}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		switch name, _, _ := strings.Cut(line, ":"); name {
		case "Umask", "Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp",
			"SigIgn", "Cpus_allowed", "Mems_allowed":
			s.WriteString(line)
		}
	}
	limits, _ := os.ReadFile("/proc/self/limits")
	for line := range strings.Lines(string(limits)) {
		if !strings.HasPrefix(line, "Max realtime timeout") { // it is the brand of a detached program
			s.WriteString(line)
		}
	}
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
	fmt.Fprintln(&s, nice)
	return s.String()
}
