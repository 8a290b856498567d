package process

// KillRun ends what a process that died without ending its runs has left behind: every process of this machine whose
// RYE_RUN_ID is tag or below it, or has it among its names, and what those have started, whatever their environment. It may be called without being
// sure that there is anything. If the tag is one that Detach was given, also what has overwritten its environment and lost
// its parent is found: see brand. What Detach has started with another tag is not touched, nor are this process and the
// members of its session. It returns how many processes it killed, and how many are still there because they cannot be
// killed.
//
// Only Linux can do that. macOS shows no run to which a process belongs, and on Windows nothing is left, as the job
// object ended with its owner: there KillRun does nothing.
func KillRun(tag string) (killed, survivors int) {
	if tag == "" {
		return 0, 0
	}
	t := &tree{tag: tag, foreign: true, exited: make(chan struct{})}
	close(t.exited)
	return t.sweep()
}
