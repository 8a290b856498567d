//go:build unix

package main

import "syscall"

// sessionAttr starts a program in a session of its own, if asked to.
func sessionAttr(own bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: own} }
