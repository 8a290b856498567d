//go:build linux && !amd64 && !arm64

package confine

// There is no filter for this machine.
const (
	auditArch    = 0
	otherNumbers = 0
)

var deniedHere []uint32
