package process

// Identity names one process for good: its number is given again after its death, its number and start time together are
// not, and Boot tells the two of them from those of another boot of the machine.
type Identity struct {
	PID   int
	Start uint64 // the kernel's start time; its unit depends on the system
	Boot  string
}

// Alive reports whether the process still runs. A zombie is dead, and so is a process that cannot be looked at.
func (i Identity) Alive() bool {
	now, dead, err := lookAt(i.PID)
	return err == nil && !dead && now == i
}

// Identify returns the identity of the process that has the number pid now. The error wraps fs.ErrNotExist if there is none.
func Identify(pid int) (Identity, error) {
	i, _, err := lookAt(pid)
	return i, err
}
