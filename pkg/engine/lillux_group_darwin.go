package engine

import (
	"golang.org/x/sys/unix"

	"github.com/ryeos/rye/pkg/process"
)

const zombie = 5 // SZOMB of <sys/proc.h>

// groupAlive reports whether a process of the group runs. The kernel, asked with signal 0, would count zombies too.
func groupAlive(group int) bool {
	members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	if err != nil {
		return false
	}
	for _, m := range members {
		if m.Proc.P_stat != zombie {
			return true
		}
	}
	return false
}

// tagOf is "": macOS shows no run to which a process belongs.
func tagOf(process.Identity) string { return "" }
