package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the goldens of the scripts")

// TestMain lets the scripts run rye, and the helper programs of helpers_test.go, as real processes.
func TestMain(m *testing.M) {
	commands := map[string]func(){"rye": main, "lillux": main}
	for name, helper := range helpers {
		commands[name] = helper
	}
	if _, set := os.LookupEnv("RYE_MCP_KEEP_ALIVE"); !set {
		os.Setenv("RYE_MCP_KEEP_ALIVE", "0") // what is to be kept, a test says itself
	}
	testscript.Main(m, commands)
}

// TestScripts runs the command line's behaviour: one script a topic in testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setupScript,
		Condition:           scriptCondition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": cmdExit, "gone": cmdGone, "waitfile": cmdWaitFile, "append": cmdAppend, "replace": cmdReplace,
			"keep": cmdKeep, "waitgone": cmdWaitGone, "timeless": cmdTimeless,
		},
	})
}

// setupScript gives each script a home and a project of its own and nothing of the caller's environment.
func setupScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	for _, dir := range []string{home, filepath.Join(env.WorkDir, "project")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	env.Setenv("HOME", home)
	env.Setenv("USERPROFILE", home)
	env.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	env.Setenv("PROJECT", filepath.Join(env.WorkDir, "project"))
	env.Setenv("NO_COLOR", "1")
	env.Setenv("RYE_MCP_KEEP_ALIVE", "0")
	env.Defer(func() { stopKept(filepath.Join(home, ".cache", "rye", "kept")) })
	env.Setenv("GORACE", os.Getenv("GORACE")) // else rye sleeps at its end when it is built with the race detector
	env.Setenv("LANG", "C.UTF-8")
	env.Cd = filepath.Join(env.WorkDir, "project")
	return nil
}

// scriptCondition adds [needs:PROGRAM]: true when the program is there. With RYE_TEST_DISALLOW_SKIP=1 a missing one
// fails the test, so that CI cannot pass by skipping.
func scriptCondition(cond string) (bool, error) {
	program, ok := strings.CutPrefix(cond, "needs:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	_, err := exec.LookPath(program)
	if err != nil && os.Getenv("RYE_TEST_DISALLOW_SKIP") == "1" {
		return false, fmt.Errorf("%s is not installed, and skipping is not allowed", program)
	}
	return err == nil, nil
}

// cmdExit: exit CODE PROGRAM [ARGUMENT…] runs a program and requires that exit code.
func cmdExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM [ARGUMENT…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s left with %d, want %d", args[1], got, want)
	}
}

// cmdGone: gone FILE… requires that the processes whose ids the files hold, one a line, have ended. A zombie has ended.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		for _, field := range strings.Fields(ts.ReadFile(name)) {
			pid, err := strconv.Atoi(field)
			ts.Check(err)
			if alive(pid) != neg {
				ts.Fatalf("process %d of %s: alive is %t", pid, name, alive(pid))
			}
		}
	}
}

func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil || process.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	after := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
	return !strings.HasPrefix(strings.TrimSpace(after), "Z")
}

// cmdWaitFile: waitfile FILE… waits until the files exist and are not empty.
func cmdWaitFile(ts *testscript.TestScript, neg bool, args []string) {
	deadline := time.Now().Add(30 * time.Second)
	for _, name := range args {
		for {
			if info, err := os.Stat(ts.MkAbs(name)); err == nil && info.Size() > 0 {
				break
			}
			if time.Now().After(deadline) {
				ts.Fatalf("%s did not appear", name)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// cmdAppend: append FILE TEXT adds a line to a file.
func cmdAppend(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE TEXT")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_WRONLY, 0)
	ts.Check(err)
	defer f.Close()
	_, err = f.WriteString(args[1] + "\n")
	ts.Check(err)
}

// cmdReplace: replace FILE OLD NEW exchanges the first occurrence of a text; \n, \r and \t in them are escapes.
func cmdReplace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	unescape := strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t").Replace
	file := ts.MkAbs(args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	if !strings.Contains(string(data), unescape(args[1])) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(file, []byte(strings.Replace(string(data), unescape(args[1]), unescape(args[2]), 1)), 0o644))
}
