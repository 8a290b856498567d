package process

import (
	"hash/fnv"
	"io"

	"golang.org/x/sys/unix"
)

// A brand marks a detached program and everything that it will ever start, also what then leaves its session, loses its
// parent, clears its environment and closes its descriptors. It is a number in a limit that is inherited, can be read from
// outside and limits nothing: the soft limit of the realtime processor time that may be used at a stretch, in
// microseconds, of which a brand has a hundred thousand years.
const leastBrand = 1 << 62

func brandOf(tag string) uint64 {
	hash := fnv.New64a()
	io.WriteString(hash, tag)
	return hash.Sum64()>>2 | leastBrand
}

// brand marks a process that has not started any other yet. Where somebody really limits realtime, or the kernel does not
// allow it, there is no brand, and the environment alone has to do.
func brand(pid int, tag string) {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &limit) == nil && limit.Cur >= leastBrand {
		limit.Cur = brandOf(tag)
		unix.Prlimit(pid, unix.RLIMIT_RTTIME, &limit, nil)
	}
}

// branded reports whether the process carries the brand of the tag.
func (p proc) branded(tag string) bool {
	var limit unix.Rlimit
	return unix.Prlimit(p.pid, unix.RLIMIT_RTTIME, nil, &limit) == nil && limit.Cur == brandOf(tag)
}
