package process

import "syscall"

func fork(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	return syscall.ForkExec(path, argv, attr)
}

func leaderAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
