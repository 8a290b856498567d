package process

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

func detach(p *Program, files [3]*os.File) (Identity, error) {
	flags := uint32(windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP)
	start := func(flags uint32) (*os.Process, error) {
		return os.StartProcess(p.Path, p.Argv, &os.ProcAttr{
			Dir: p.Dir, Env: p.env(), Files: files[:], Sys: &syscall.SysProcAttr{CreationFlags: flags},
		})
	}
	process, err := start(flags | windows.CREATE_BREAKAWAY_FROM_JOB)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) { // our job object lets nobody leave
		process, err = start(flags)
	}
	if err != nil {
		return Identity{}, err
	}
	id, err := Identify(process.Pid)
	if err != nil {
		process.Kill()
	}
	go process.Wait()
	return id, err
}
