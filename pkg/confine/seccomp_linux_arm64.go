package confine

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	otherNumbers = 0
)

var deniedHere []uint32
