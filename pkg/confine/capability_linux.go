package confine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// keptCapabilities are those that root needs to work on other people's files and to give them away. All others reach
// around the rest of a sandbox: some let root look into any process, whatever Landlock says.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
	1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_NET_BIND_SERVICE

// dropCapabilities takes the others away from this thread. With no_new_privs no program gives them back.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	for i, kept := range []uint32{keptCapabilities, 0} {
		sets[i].Effective &= kept
		sets[i].Permitted &= kept
		sets[i].Inheritable = 0
	}
	if err := unix.Capset(&header, &sets[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}
