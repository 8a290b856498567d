//go:build unix

package mcptest

import "syscall"

func leaveSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
