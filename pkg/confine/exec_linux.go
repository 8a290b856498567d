package confine

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Probe asks the kernel what it can do.
func Probe() Support { return Support{ABI: landlockABI(), Seccomp: seccompAvailable()} }

// Exec confines this process by the policy and turns it into the program argv[0], an absolute path. It returns only if
// that fails; the reason is then in the policy's report as well, and the program did not run.
func Exec(p Policy, argv, env []string) error {
	// Both mechanisms restrict a thread; the one that calls exec is the one that survives it.
	runtime.LockOSThread()
	// Opened before there are restrictions: they do not touch what is open, and exec closes it.
	file, err := os.OpenFile(p.Report, os.O_WRONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("the report of the sandbox: %w", err)
	}
	report, err := apply(p)
	if err == nil {
		err = write(file, report)
	}
	if err == nil {
		err = syscall.Exec(argv[0], argv, env)
		err = fmt.Errorf("the sandbox cannot start %s: %w", argv[0], err)
	}
	report.Error = err.Error()
	if failed := write(file, report); failed != nil {
		return fmt.Errorf("%w; %w", err, failed)
	}
	return err
}

// apply takes the rights away, in the order that each step still allows the next.
func apply(p Policy) (Report, error) {
	support := Probe()
	var report Report
	for _, c := range support.Controls(p.Net) {
		if c.Missing == "" {
			report.Realised = append(report.Realised, c.String())
		} else if slices.Contains(p.Promised, c.Name) {
			return report, fmt.Errorf("the sandbox cannot be set up as promised: %s: %s", c.Name, c.Missing)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return report, fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return report, err
	}
	if support.ABI > 0 {
		grants := newGrants(p)
		if err := landlock(support.ABI, grants, p.Net); err != nil {
			return report, err
		}
		report.Skipped = grants.skipped
	}
	if support.Seccomp {
		return report, seccomp(p.Net)
	}
	return report, nil
}

// write replaces the report.
func write(file *os.File, report Report) error {
	data, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(data, 0)
	return err
}

// Main is Exec for a process started with the arguments POLICY -- PROGRAM [ARGUMENT…]. It gives the exit code of its
// failure.
func Main(args []string) int {
	err := fmt.Errorf("usage: POLICY -- PROGRAM [ARGUMENT…]")
	if len(args) > 2 && args[1] == "--" {
		var p Policy
		if err = json.NewDecoder(strings.NewReader(args[0])).Decode(&p); err == nil {
			err = Exec(p, args[2:], os.Environ())
		}
	}
	fmt.Fprintln(os.Stderr, "rye:", err)
	return 126
}
