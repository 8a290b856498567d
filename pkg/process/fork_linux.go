package process

import (
	"runtime"
	"sync"
	"syscall"
)

// leaderAttr makes the kernel kill a leader when this process ends without having ended its runs, as after SIGKILL. A
// program that changes its user loses that, and it does not reach what the leader has started: KillRun finds that.
func leaderAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// forking is one call of syscall.ForkExec.
type forking struct {
	path string
	argv []string
	attr *syscall.ProcAttr
	pid  int
	err  error
	done chan struct{}
}

// fork starts a program from a thread that lasts as long as this process: the kernel takes the end of the thread that
// forked for the death of the parent, and Go ends threads as it likes.
func fork(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	f := &forking{path: path, argv: argv, attr: attr, done: make(chan struct{})}
	forker() <- f
	<-f.done
	return f.pid, f.err
}

var forker = sync.OnceValue(func() chan<- *forking {
	queue := make(chan *forking)
	go func() {
		runtime.LockOSThread()
		for f := range queue {
			f.pid, f.err = syscall.ForkExec(f.path, f.argv, f.attr)
			close(f.done)
		}
	}()
	return queue
})
