package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() { helpers["without-landlock"] = withoutLandlock }

// withoutLandlock runs the program in its arguments on what is, for it, a kernel without Landlock.
func withoutLandlock() {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	program, err := exec.LookPath(os.Args[1])
	if err == nil {
		err = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
	if err == nil {
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
		if err = errno; errno == 0 {
			err = syscall.Exec(program, os.Args[1:], os.Environ())
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestSandboxReport: the response says what was asked for and what was realised.
func TestSandboxReport(t *testing.T) {
	g := newGround(t)
	_, doc := g.bash("kill -0 $PPID", "--require-sandbox")
	facts := doc["metadata"].(map[string]any)["sandbox"].(map[string]any)
	for _, control := range []string{"landlock-fs", "no_new_privs", "seccomp", "net"} {
		named := func(v any) bool { return strings.HasPrefix(v.(string), control) }
		if !slices.ContainsFunc(facts["requested"].([]any), named) || !slices.ContainsFunc(facts["realised"].([]any), named) {
			t.Errorf("%s is not reported: %v", control, facts)
		}
	}
	scoped := slices.ContainsFunc(facts["realised"].([]any), func(v any) bool { return strings.HasPrefix(v.(string), "landlock-scope") })
	if failed := doc["status"] == "error"; failed != scoped {
		t.Errorf("signals to rye are refused: %t; said: %v", failed, facts)
	}
	if _, doc := g.bash("true"); doc["metadata"].(map[string]any)["sandbox"] != nil {
		t.Errorf("a sandbox is reported that nobody asked for: %v", doc)
	}
}

// TestSandboxWithoutLandlock: a kernel that cannot runs with a warning, or not at all.
func TestSandboxWithoutLandlock(t *testing.T) {
	g := newGround(t)
	run := func(flag string) outcome {
		cmd := g.command("rye", "execute", flag, "tool:rye/bash", "--command", "touch pwned")
		cmd.Path, cmd.Args[0] = lookPath(t, "without-landlock"), "without-landlock"
		return g.run(cmd)
	}
	out := run("--require-sandbox")
	if out.code != 6 || g.document(out)["error_type"] != "permission" {
		t.Errorf("--require-sandbox: %+v", out)
	}
	g.checkMarker()
	out = run("--sandbox")
	if out.code != 0 || !strings.Contains(out.stderr, "not complete") || !strings.Contains(out.stdout, `"landlock-fs: this kernel has no Landlock`) ||
		!strings.Contains(out.stdout, `"realised":["no_new_privs","capabilities","seccomp","net"]`) {
		t.Errorf("--sandbox: %+v", out)
	}
}

// TestSandboxBrokenPromise: what confines the process cannot do what was promised, and does not start the program.
func TestSandboxBrokenPromise(t *testing.T) {
	g := newGround(t)
	report := g.write("report", "")
	policy, err := json.Marshal(map[string]any{"promised": []string{"landlock-fs"}, "report": report, "temp": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cmd := g.command("rye", "_sandbox-exec", string(policy), "--", "/bin/touch", g.marker())
	cmd.Path, cmd.Args[0] = lookPath(t, "without-landlock"), "without-landlock"
	out := g.run(cmd)
	told, err := os.ReadFile(report)
	if err != nil || out.code != 126 || !strings.Contains(string(told), "as promised: landlock-fs") {
		t.Errorf("%+v\nreport: %s, %v", out, told, err)
	}
	g.checkMarker()
	for _, args := range [][]string{{}, {"{", "--", "/bin/touch", g.marker()}, {"{}", "--", "/bin/touch", g.marker()}, {string(policy), "/bin/touch", g.marker()}} {
		if out := g.rye(append([]string{"_sandbox-exec"}, args...)...); out.code != 126 {
			t.Errorf("%v: %+v", args, out)
		}
	}
	g.checkMarker()
}

// TestSandboxTimeout: confined processes are stopped like others, also those that left their session.
func TestSandboxTimeout(t *testing.T) {
	g := newGround(t)
	out := g.rye("execute", "--sandbox", "--timeout", "1s", "tool:rye/bash", "--command", "echo $$; setsid sleep 1000 & echo $!; wait")
	if out.code != 124 {
		t.Fatalf("%+v", out)
	}
	data := g.document(out)["data"].(map[string]any)["stdout"].(string)
	pids := strings.Fields(data)
	if len(pids) != 2 {
		t.Fatalf("two processes were not started: %q", data)
	}
	for _, field := range pids {
		if pid, err := strconv.Atoi(field); err != nil || alive(pid) {
			t.Errorf("process %s is alive (%v)", field, err)
		}
	}
}

func lookPath(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
