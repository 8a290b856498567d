package item

import (
	"errors"
	"io/fs"
)

// refusal is what an operating system says to a program that has made no mistake: a person can do something about it.
type refusal struct {
	cause    error
	kind     ErrorType
	shortage bool // whatever the program was doing, and took this for
	hint     string
}

// refusedBy finds the refusal in an error's chain.
func refusedBy(err error) (refusal, bool) {
	for _, r := range refusals {
		if errors.Is(err, r.cause) {
			return r, true
		}
	}
	if !errors.Is(err, fs.ErrPermission) {
		return refusal{}, false
	}
	r := refusal{cause: fs.ErrPermission, kind: TypePermission}
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		r.hint = "check who owns it: ls -ld " + ShellWord(file.Path)
	}
	return r, true
}
