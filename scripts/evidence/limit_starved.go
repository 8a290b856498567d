//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/ryeos/rye/pkg/thread"
)

func init() {
	helpers["starved"] = func(args []string) error { return namespaced(args, measureStarved) }
	helpers["hampered"] = hampered
}

// hampered runs a program from which something was taken: `hampered files=N PROGRAM…` all but N descriptors, `hampered
// without=FOLDER PROGRAM…` what is in a folder.
func hampered(args []string) error {
	what, value, _ := strings.Cut(args[0], "=")
	var err error
	if n, numeric := strconv.ParseUint(value, 10, 64); what == "files" && numeric == nil {
		err = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n})
	} else {
		err = syscall.Mount("tmpfs", value, "tmpfs", 0, "size=4k")
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("starting %s: %w", args[1], syscall.Exec(args[1], args[1:], os.Environ()))
}

func starved(b *binaries, limits int) finding { return b.inNamespace("starved", limits) }

func nothing(*world, *disk) error { return nil }

// measureStarved tries limits of descriptors from 3 upwards, and everything else that a machine may refuse.
func measureStarved(b *binaries, limits int) finding {
	t, err := b.newTemplate()
	if err != nil {
		return failed(err)
	}
	c := &tally{b: b, template: t}
	var few []obstacle
	most := 0
	for i := range limits {
		if most = 3 + i; limits < 40 { // in steps
			most = 3 + 5*i
		}
		few = append(few, obstacle{
			name: fmt.Sprintf("%d descriptors", most), hamper: []string{fmt.Sprintf("files=%d", most)}, raise: nothing, lift: nothing,
			says: []string{"too many open files", "open files"},
		})
	}
	c.run(trials(few))
	c.measured = fmt.Sprintf("Limits of 3 to %d descriptors: %d commands did what they were asked for, %d said that there are too few; detached runs: %d completed, %d ended and say why. ",
		most, c.done, c.refused, c.completed, c.ends)
	c.done, c.refused, c.completed, c.ends = 0, 0, 0, 0
	c.run(trials(refusals))
	c.measured += fmt.Sprintf("Read-only project, read-only home, no /proc, a folder where the registry is to be, a file where its folder is to be: %d did it, %d said why not; detached runs: %d completed, %d ended and say why. All worked when nothing was in the way any more",
		c.done, c.refused, c.completed, c.ends)
	return c.finding
}

// refusals are what else may be in the way.
var refusals = []obstacle{
	{
		name: "a read-only project", onDisk: "project", says: []string{"read-only"},
		raise: func(_ *world, d *disk) error { return d.setReadOnly(true) },
		lift:  func(_ *world, d *disk) error { return d.setReadOnly(false) },
	},
	{
		name: "a read-only home", onDisk: "home", says: []string{"read-only"},
		raise: func(_ *world, d *disk) error { return d.setReadOnly(true) },
		lift:  func(_ *world, d *disk) error { return d.setReadOnly(false) },
	},
	{name: "no /proc", hamper: []string{"without=/proc"}, raise: nothing, lift: nothing, says: []string{"/proc"}},
	{
		name: "a folder in the place of the registry", says: []string{thread.DatabaseName},
		raise: func(w *world, _ *disk) error { return w.replaceRegistry(thread.DatabaseName, true) },
		lift:  func(w *world, _ *disk) error { return w.restoreRegistry(thread.DatabaseName) },
	},
	{
		name: "a file in the place of the registry's folder", says: []string{"threads"},
		raise: func(w *world, _ *disk) error { return w.replaceRegistry("", false) },
		lift:  func(w *world, _ *disk) error { return w.restoreRegistry("") },
	},
}

// replaceRegistry puts something else where the registry, or its folder, is or is to be.
func (w *world) replaceRegistry(name string, folder bool) error {
	path := filepath.Join(w.registry(), name)
	if err := os.Rename(path, path+".aside"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if folder {
		return os.MkdirAll(path, 0o755)
	}
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o600))
}

func (w *world) restoreRegistry(name string) error {
	path := filepath.Join(w.registry(), name)
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if err := os.Rename(path+".aside", path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
