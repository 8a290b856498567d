package runtime

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// standing is what a child has from its parent besides its environment, as far as macOS shows it. The mask of new files
// cannot be read without being changed for a moment, so that it is not a part.
func standing() string {
	groups, _ := unix.Getgroups()
	text := fmt.Sprintln(unix.Getuid(), unix.Geteuid(), unix.Getgid(), groups)
	for which := range 9 { // RLIMIT_CPU to RLIMIT_NOFILE
		var limit unix.Rlimit
		unix.Getrlimit(which, &limit)
		text += fmt.Sprintln(limit.Cur, limit.Max)
	}
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
	return text + fmt.Sprintln(nice)
}
