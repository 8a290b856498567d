package thread

import "slices"

// Status is where a thread is in its life.
type Status string

// The statuses of design §9.
const (
	Created             Status = "created"   // registered; the runner has not taken over yet
	Running             Status = "running"   // the runner holds the lock
	Suspended           Status = "suspended" // waits for somebody; has no runner
	Completed           Status = "completed"
	CompletedWithErrors Status = "completed_with_errors" // done, though errors were suppressed on the way
	Error               Status = "error"
	Cancelled           Status = "cancelled"
	Continued           Status = "continued" // another thread goes on in its place
	Killed              Status = "killed"    // its processes were ended without asking
	Lost                Status = "lost"      // the runner vanished; nobody knows how the run ended
)

// transitions is the state machine: docs/thread-states.md draws it, and a test compares the two. A status from which
// nothing leads away is terminal; there is no other list of the terminal ones.
var transitions = map[Status][]Status{
	Created:             {Running, Error, Cancelled, Killed, Lost},
	Running:             {Suspended, Completed, CompletedWithErrors, Error, Cancelled, Continued, Killed, Lost},
	Suspended:           {Running, Error, Cancelled, Continued, Killed},
	Completed:           nil,
	CompletedWithErrors: nil,
	Error:               nil,
	Cancelled:           nil,
	Continued:           nil,
	Killed:              nil,
	Lost:                nil,
}

// Statuses lists every status by name.
func Statuses() []Status {
	all := make([]Status, 0, len(transitions))
	for status := range transitions {
		all = append(all, status)
	}
	slices.Sort(all)
	return all
}

// Active lists the statuses of threads that are not at their end.
func Active() []Status { return slices.DeleteFunc(Statuses(), Status.Terminal) }

// Valid reports whether the status exists.
func (s Status) Valid() bool { _, ok := transitions[s]; return ok }

// Terminal reports whether a thread stays in this status for good.
func (s Status) Terminal() bool { return s.Valid() && len(transitions[s]) == 0 }

// CanBecome reports whether a thread may go from s to next.
func (s Status) CanBecome(next Status) bool { return slices.Contains(transitions[s], next) }

// attended reports whether a process must exist that brings the thread out of this status: its launcher or its runner. It
// is so exactly where lost is possible.
func (s Status) attended() bool { return s.CanBecome(Lost) }
