package confine

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_X86_64
	otherNumbers = 0x40000000 // where the numbers of the x32 interface begin
)

var deniedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM}
