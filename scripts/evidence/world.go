//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// helpers are parts of this program that run as processes of their own: `evidence NAME ARGUMENT…`.
var helpers = map[string]func(args []string) error{}

// binaries are the programs to measure.
type binaries struct {
	dir     string
	rye     string // as released
	failing string // with crash points
	self    string // this program
}

func build(dir string) (*binaries, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &binaries{dir: dir, rye: filepath.Join(dir, "rye"), failing: filepath.Join(dir, "rye-failpoint"), self: self}
	for out, tags := range map[string]string{b.rye: "", b.failing: "failpoint"} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-tags", tags, "-o", out, "github.com/ryeos/rye/cmd/rye")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building rye: %w\n%s", err, text)
		}
	}
	return b, nil
}

// world is a scratch home and project of one figure.
type world struct {
	rye           string
	home, project string
	env           []string
}

// newWorld makes one in which binary is rye.
func (b *binaries) newWorld(binary string) (*world, error) {
	dir, err := os.MkdirTemp(b.dir, "world-")
	if err != nil {
		return nil, err
	}
	w := &world{rye: binary, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project")}
	w.env = []string{
		"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "NO_COLOR=1",
		"XDG_CACHE_HOME=" + filepath.Join(w.home, ".cache"), "XDG_CONFIG_HOME=" + filepath.Join(w.home, ".config"),
	}
	return w, errors.Join(os.MkdirAll(w.home, 0o755), os.MkdirAll(filepath.Join(w.project, ".ai"), 0o755))
}

// command is a rye of this world that was not started yet.
func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.rye, args...)
	cmd.Dir, cmd.Env = w.project, w.env
	return cmd
}

// answer is how a rye ended.
type answer struct {
	stdout, stderr string
	code           int // -1 when a signal ended it
}

func (w *world) run(args ...string) answer { return await(w.command(args...)) }

func await(cmd *exec.Cmd) answer { return awaitStarted(cmd, func() {}) }

// awaitStarted calls started as soon as there is a process.
func awaitStarted(cmd *exec.Cmd, started func()) answer {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Start()
	if err == nil {
		started()
		err = cmd.Wait()
	}
	a := answer{stdout: stdout.String(), stderr: stderr.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		a.code = exit.ExitCode()
	case err != nil:
		a.code, a.stderr = -1, err.Error()
	}
	return a
}

// decode reads the JSON document on standard output.
func (a answer) decode(into any) error {
	if err := json.Unmarshal([]byte(a.stdout), into); err != nil {
		return fmt.Errorf("exit %d, stdout %.300q, stderr %.300q: %w", a.code, a.stdout, a.stderr, err)
	}
	return nil
}

// registry is the folder of the threads.
func (w *world) registry() string { return filepath.Join(w.project, ".ai", "state", "threads") }

// processes lists those whose command line holds the text, by number. It is how leftovers are found, whatever they did to
// their environment, session and parent.
func processes(text string) map[int]string {
	found := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range dirs {
		data, err := os.ReadFile(file)
		line := strings.ReplaceAll(string(data), "\x00", " ")
		var pid int
		if _, scanErr := fmt.Sscanf(file, "/proc/%d/cmdline", &pid); err != nil || scanErr != nil || pid == os.Getpid() {
			continue
		}
		if strings.Contains(line, text) {
			found[pid] = line
		}
	}
	return found
}

// kill sends SIGKILL to a process that this program has started or whose rye told its number.
func kill(pid int) { syscall.Kill(pid, syscall.SIGKILL) }
