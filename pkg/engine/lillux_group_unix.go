//go:build unix

package engine

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ryeos/rye/pkg/process"
)

func victimOf(id process.Identity) victim {
	group, err := unix.Getpgid(id.PID)
	return victim{id: id, group: err == nil && group == id.PID && group != unix.Getpgrp(), tag: tagOf(id)}
}

func (v victim) terminate() error {
	if err := v.id.Terminate(); err != nil || !v.group {
		return err
	}
	v.signalGroup(unix.SIGTERM)
	v.signalGroup(unix.SIGCONT) // who is stopped shall hear it too
	return nil
}

func (v victim) kill() error {
	err := v.id.Kill()
	if v.group && (err == nil || errors.Is(err, os.ErrProcessDone)) {
		v.signalGroup(unix.SIGKILL)
	}
	return err
}

// signalGroup reaches the group as long as the number is the victim's: while a group has members, nobody else gets it.
func (v victim) signalGroup(sig unix.Signal) {
	if now, err := process.Identify(v.id.PID); err == nil && now != v.id {
		return
	}
	unix.Kill(-v.id.PID, sig)
}
