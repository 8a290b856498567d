//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

func init() {
	helpers["disk-full"] = func(args []string) error { return namespaced(args, measureDisks) }
}

func diskFull(b *binaries, levels int) finding { return b.inNamespace("disk-full", levels) }

// inNamespace measures in a process that may mount file systems nobody else sees. It needs no privileges where the
// system allows user namespaces.
func (b *binaries) inNamespace(helper string, count int) finding {
	cmd := exec.Command(b.self, helper, b.dir, b.rye, strconv.Itoa(count))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	var f struct {
		Measured string
		Broken   []string
	}
	if err := await(cmd).decode(&f); err != nil {
		return failed(fmt.Errorf("nothing was measured, perhaps because the system does not allow user namespaces: %w", err))
	}
	return finding{f.Measured, f.Broken}
}

// namespaced is the other end of inNamespace.
func namespaced(args []string, measure func(b *binaries, count int) finding) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making the mounts private: %w", err)
	}
	f := measure(&binaries{dir: args[0], rye: args[1], self: self}, count)
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"Measured": f.measured, "Broken": f.broken})
}

// diskSize is that of the disks that get full.
const diskSize = 1 << 20

// disk is a small file system, with a file that fills it.
type disk struct{ dir string }

func newDisk(b *binaries) (*disk, error) {
	dir, err := os.MkdirTemp(b.dir, "disk-")
	if err != nil {
		return nil, err
	}
	return &disk{dir}, syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", diskSize))
}

func (d *disk) clear() error {
	entries, err := os.ReadDir(d.dir)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(d.dir, entry.Name())))
	}
	return err
}

// fill leaves so many pages free, or as many as there are.
func (d *disk) fill(pages int) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &s); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.dir, "filler"), make([]byte, max(0, int64(s.Bavail)-int64(pages))*s.Bsize), 0o600)
}

func (d *disk) makeRoom() error { return os.Remove(filepath.Join(d.dir, "filler")) }

// setReadOnly forbids writing, or allows it again.
func (d *disk) setReadOnly(readOnly bool) error {
	flags := uintptr(syscall.MS_REMOUNT)
	if readOnly {
		flags |= syscall.MS_RDONLY
	}
	return syscall.Mount("", d.dir, "", flags, "")
}

// measureDisks makes the disk full at different moments: with room for 0, 1, 2, … pages, or with growing steps.
func measureDisks(b *binaries, levels int) finding {
	t, err := b.newTemplate()
	if err != nil {
		return failed(err)
	}
	var obstacles []obstacle
	most := 0
	for level := range levels {
		most = level
		if levels < 64 {
			most = level * (level + 1) / 2
		}
		pages := most
		for _, part := range []string{"project", "home"} {
			obstacles = append(obstacles, obstacle{
				name: fmt.Sprintf("%d free pages for the %s", pages, part), onDisk: part,
				raise: func(_ *world, d *disk) error { return d.fill(pages) },
				lift:  func(_ *world, d *disk) error { return d.makeRoom() },
				says:  []string{"no space left", "the disk is full", "disk is full"},
			})
		}
	}
	c := &tally{b: b, template: t}
	c.run(trials(obstacles))
	c.measured = fmt.Sprintf("%d times (%d commands, the project or the home on the disk, 0 to %d KiB free): %d did what they were asked for, %d said that the disk is full; all of them worked once there was room. Detached runs that were launched: %d completed, %d failed and say that the disk was full, none lost. ",
		c.done+c.refused, len(deeds), most*4, c.done, c.refused, c.completed, c.ends)
	c.measured += fmt.Sprintf("%d results came to a full disk and were recorded when there was room", c.finishes(max(3, levels/8)))
	return c.finding
}
