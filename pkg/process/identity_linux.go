package process

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

var bootID = sync.OnceValues(func() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data)), err
})

func lookAt(pid int) (i Identity, dead bool, err error) {
	boot, err := bootID()
	if err != nil {
		return Identity{}, false, fmt.Errorf("cannot identify process %d: %w", pid, err)
	}
	if pid <= 0 {
		return Identity{}, false, fmt.Errorf("no process has the number %d: %w", pid, os.ErrNotExist)
	}
	p, err := readProc(pid)
	if err != nil {
		return Identity{}, false, fmt.Errorf("cannot identify process %d: %w", pid, err)
	}
	return Identity{PID: pid, Start: p.start, Boot: boot}, p.dead(), nil
}
