package process

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary is also the program that the tests run: with helperArg as its first argument it plays a role.
// Arguments and not the environment say so, as some roles start programs with an empty environment.
const helperArg = "process-test-helper"

// helperLife ends every helper in the end, also when a test failed to.
const helperLife = 2 * time.Minute

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == helperArg {
		time.AfterFunc(helperLife, func() { os.Exit(99) })
		role := helpers[os.Args[2]]
		role(os.Args[3], os.Args[4:])
		os.Exit(0)
	}
	ownTag = "" // the tests may be part of a run themselves
	os.Exit(m.Run())
}

// helpers are the roles; each gets a directory to leave notes in.
var helpers map[string]func(dir string, args []string)

func init() {
	helpers = map[string]func(string, []string){
		"leader":   playLeader,
		"sleeper":  playSleeper,
		"parent":   playParent,
		"forker":   playForker,
		"flood":    playFlood,
		"headless": playHeadless,
		"runner":   playRunner,
		"launcher": playLauncher,
	}
}

// helperArgv is the command line of a helper.
func helperArgv(role, dir string, args ...string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{self, helperArg, role, dir}, args...)
}

func helperSpec(role, dir string, args ...string) Spec {
	argv := helperArgv(role, dir, args...)
	// The race detector would hold every helper for a second at its exit.
	return Spec{Path: argv[0], Argv: argv, Env: helperEnv}
}

var helperEnv = []string{"PATH=/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"}

// helperProgram is a helper to detach. Its tag is derived from its directory, so that it is no other test's.
func helperProgram(role, dir string, args ...string) Program {
	argv := helperArgv(role, dir, args...)
	return Program{Path: argv[0], Argv: argv, Env: helperEnv, Tag: detachedTag(dir)}
}

func detachedTag(dir string) string { return strings.ReplaceAll(dir, "/", "-") }

// startHelper starts a helper outside of any Run.
func startHelper(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	argv := helperArgv(role, dir, args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	eventually(t, "the helper is ready", func() bool { return noted(dir, args[:1]) })
	return cmd
}

// note records the calling process under a name. Whoever sees the file sees all of it.
func note(dir, name string) {
	id, err := Identify(os.Getpid())
	check(err)
	data, err := json.Marshal(id)
	check(err)
	tmp := filepath.Join(dir, name+".tmp"+strconv.Itoa(id.PID))
	check(os.WriteFile(tmp, data, 0o644))
	check(os.Rename(tmp, filepath.Join(dir, name)))
}

func noted(dir string, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err != nil
	})
}

func identityOf(t *testing.T, dir, name string) Identity {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var id Identity
	if err := json.Unmarshal(data, &id); err != nil {
		t.Fatal(err)
	}
	return id
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "helper:", err)
		os.Exit(98)
	}
}

func waitUntil(what func() bool) bool {
	for deadline := time.Now().Add(helperLife / 2); !what(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	if !waitUntil(is) {
		t.Fatalf("never true: %s", what)
	}
}

// shapes are the trees that a leader can grow: the processes beside the leader, and how they come to be.
var shapes = map[string]struct {
	names []string
	grow  func(dir string)
}{
	"alone":      {nil, func(string) {}},
	"child":      {[]string{"child"}, func(dir string) { spawn(dir, nil, "sleeper", "child") }},
	"grandchild": {[]string{"child", "grandchild"}, func(dir string) { spawn(dir, nil, "parent", "child", "grandchild") }},
	"setsid": {[]string{"child"}, func(dir string) {
		spawn(dir, func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }, "sleeper", "child")
	}},
	"daemon": {[]string{"daemon"}, func(dir string) {
		check(spawn(dir, func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }, "forker", "daemon").Wait())
	}},
	"cleared": {[]string{"daemon"}, func(dir string) {
		check(spawn(dir, func(c *exec.Cmd) {
			c.SysProcAttr, c.Env = &syscall.SysProcAttr{Setsid: true}, []string{}
		}, "forker", "daemon").Wait())
	}},
	"nohup": {[]string{"child"}, func(dir string) {
		script := []string{"-c", `nohup "$@" >/dev/null 2>&1 &`, "sh"}
		check(exec.Command("/bin/sh", append(script, helperArgv("sleeper", dir, "child")...)...).Run())
	}},
	"deaf": {[]string{"child"}, func(dir string) {
		signal.Ignore(syscall.SIGTERM)
		spawn(dir, nil, "sleeper", "child", "deaf")
	}},
	"holds": {[]string{"child", "grandchild"}, func(dir string) {
		spawn(dir, func(c *exec.Cmd) {
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			c.Stdout, c.Stderr = os.Stdout, os.Stderr
		}, "parent", "child", "grandchild")
	}},
	"stopped": {[]string{"child"}, func(dir string) { spawn(dir, nil, "sleeper", "child", "stopped") }},
	"headless": {[]string{"child"}, func(dir string) {
		spawn(dir, func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }, "headless", "child")
	}},
	"launched": {[]string{"detached", "grandchild"}, func(string) {}},
	"crowd": {[]string{"child", "grandchild", "session", "daemon"}, func(dir string) {
		own := func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
		spawn(dir, nil, "parent", "child", "grandchild")
		spawn(dir, own, "sleeper", "session")
		check(spawn(dir, func(c *exec.Cmd) { own(c); c.Env = []string{} }, "forker", "daemon").Wait())
	}},
}

func spawn(dir string, change func(*exec.Cmd), role string, args ...string) *exec.Cmd {
	argv := helperArgv(role, dir, args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	if change != nil {
		change(cmd)
	}
	check(cmd.Start())
	return cmd
}

// playLeader: shape, and "stay", "exit", or the name of a file to wait for before the exit.
func playLeader(dir string, args []string) {
	shape := shapes[args[0]]
	note(dir, "leader")
	shape.grow(dir)
	waitUntil(func() bool { return noted(dir, shape.names) })
	note(dir, "ready")
	switch args[1] {
	case "exit":
	case "stay":
		time.Sleep(helperLife)
	default:
		waitUntil(func() bool { return noted(dir, args[1:]) })
	}
}

// playSleeper: its name, and whether it is deaf to SIGTERM or stops itself.
func playSleeper(dir string, args []string) {
	how := append(args, "")[1]
	if how == "deaf" {
		signal.Ignore(syscall.SIGTERM)
	}
	note(dir, args[0])
	if how == "stopped" {
		unix.Kill(os.Getpid(), unix.SIGSTOP)
	}
	time.Sleep(helperLife)
}

// playParent: its name and that of the child it starts, with the same output and the same environment.
func playParent(dir string, args []string) {
	note(dir, args[0])
	awaitWord()
	spawn(dir, func(c *exec.Cmd) { c.Stdout, c.Stderr = os.Stdout, os.Stderr }, "sleeper", args[1])
	time.Sleep(helperLife)
}

// playForker leaves an orphan behind, in the session that was made for the forker.
func playForker(dir string, args []string) {
	spawn(dir, func(c *exec.Cmd) { c.Env = os.Environ() }, "sleeper", args[0])
	waitUntil(func() bool { return noted(dir, args[:1]) })
}

// playHeadless ends its first thread only: it looks like a zombie, but goes on in the other threads.
func playHeadless(dir string, args []string) {
	go func() {
		waitUntil(func() bool {
			data, err := os.ReadFile("/proc/self/stat")
			p, parseErr := parseStat(data)
			return err == nil && parseErr == nil && p.state == 'Z'
		})
		note(dir, args[0])
	}()
	found := make(chan bool)
	for { // a goroutine that happens to run in the first thread
		go func() {
			runtime.LockOSThread() // the others keep their threads, so that the next one gets another
			if unix.Gettid() == os.Getpid() {
				found <- true
				unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
			}
			found <- false
			select {}
		}()
		if <-found {
			break
		}
	}
	time.Sleep(helperLife)
}

// awaitWord returns when standard input says something or ends: what was detached starts nothing before, see Detach.
func awaitWord() {
	if _, err := os.Stdin.Read(make([]byte, 1)); err != io.EOF {
		check(err)
	}
}

// playRunner waits until it is told to begin, as rye's runners do, or that nobody will tell it, and runs a leader with a shape that stays.
func playRunner(dir string, args []string) {
	note(dir, "runner")
	awaitWord()
	_, err := Run(context.Background(), helperSpec("leader", dir, args[0], "stay"))
	check(err)
}

// playLauncher detaches a parent with its child and then does what a leader does.
func playLauncher(dir string, args []string) {
	note(dir, "launcher")
	p, err := Detach(helperProgram("parent", dir, "detached", "grandchild"))
	check(err)
	check(p.Stdin.Close())
	playLeader(dir, args)
}

// playFlood: how many lines of 64 bytes to write, each with its number.
func playFlood(_ string, args []string) {
	lines, err := strconv.Atoi(args[0])
	check(err)
	line := []byte(floodLine(0))
	block := make([]byte, 0, 64<<14)
	for n := range lines {
		block = append(block, line...)
		if len(block) == cap(block) || n == lines-1 {
			_, err := os.Stdout.Write(block)
			check(err)
			block = block[:0]
		}
		digit := len(line) - 2
		for ; line[digit] == '9'; digit-- {
			line[digit] = '0'
		}
		line[digit]++
	}
	_, err = io.WriteString(os.Stderr, "done")
	check(err)
}

func floodLine(n int) string { return fmt.Sprintf("%063d\n", n) }
