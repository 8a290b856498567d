package process

import (
	"context"
	"strings"
)

// awaitOther returns when a process that is no child of this one has ended.
func awaitOther(pid int) {
	if id, err := Identify(pid); err == nil {
		id.WaitGone(context.Background())
	}
}

// rebrand gives a forked process the brand that it would have from the program whose run it is, if that is a detached one,
// in place of its forker's.
func rebrand(pid int, tag string) {
	program, _, _ := strings.Cut(tag, "/")
	brand(pid, program)
}
