//go:build linux || darwin

package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// origin is where the leader of a tree comes from.
type origin struct {
	start func(tag string) (pid int, err error)
	await func(pid int) // returns when it has ended; its number stays reserved
	reap  func(pid int) Ending
}

// ownLeader is a child of this process.
func ownLeader(spec *Spec, files [3]*os.File) origin {
	return origin{
		start: func(tag string) (int, error) { return startLeader(spec, tag, files) },
		await: awaitExit, reap: reapLeader,
	}
}

// Forker forks programs: a child of this process, see Spec.Server.
type Forker interface {
	// Fork makes a process that leads a session of its own.
	Fork() (pid int, err error)
	// Reap collects one that has ended. Without a status the forker is no more.
	Reap(pid int) (status unix.WaitStatus, usage unix.Rusage, err error)
}

// Adopt runs what the forker forks, of which it tells the tag, as Run does with what this process itself starts. spare is
// Spec.Spare. On Linux this process must be a reaper.
func Adopt(f Forker, tag, spare string) (Started, error) {
	t, err := grow(tag, &Spec{Spare: spare}, origin{
		start: func(string) (int, error) { return f.Fork() },
		await: awaitOther,
		reap: func(pid int) Ending {
			status, usage, err := f.Reap(pid)
			if err != nil {
				return reapLeader(pid) // the death of the forker has made it ours
			}
			return endingOf(status, time.Duration(usage.Utime.Nano()), time.Duration(usage.Stime.Nano()), int64(usage.Maxrss)*rssUnit)
		},
	})
	if err != nil {
		return nil, err // not a Started that holds no tree
	}
	rebrand(t.pid, tag)
	return t, nil
}
