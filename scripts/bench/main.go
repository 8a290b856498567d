//go:build unix

// Command bench measures what running a tool through rye costs, as ratios to programs that everyone has: an empty Go
// binary and bare bash. All of a table's programs run interleaved, in random order, in one go, because absolute times
// drift on shared machines (design §10).
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 200, "runs of each program")
	items := flag.Int("items", 10_000, "signed items to verify")
	async := flag.Int("async", 300, "detached runs to complete")
	flood := flag.Int("flood", 1024, "MiB of output of the flooding tool")
	flag.Parse()
	if err := run(*rounds, *items, *async, *flood); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds, items, async, flood int) error {
	dir, err := os.MkdirTemp("", "rye-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := newWorld(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%s/%s, %d cores, %s, %s, %d rounds\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(),
		time.Now().UTC().Format("2006-01-02"), rounds)
	for _, part := range []func() error{
		func() error { return w.startTable(rounds) },
		func() error { return w.inProcess(rounds) },
		func() error { return w.asyncStart(rounds) },
		func() error { return w.asyncRate(async) },
		func() error { return w.verifyRate(items) },
		func() error { return w.floodMemory(flood) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// world is a scratch home and project, and the binaries to compare.
type world struct {
	dir, home, project string
	rye, empty         string
}

func newWorld(dir string) (*world, error) {
	w := &world{
		dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"),
		rye: filepath.Join(dir, "rye"), empty: filepath.Join(dir, "empty"),
	}
	source := filepath.Join(dir, "src")
	for _, d := range []string{w.home, w.project, source} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(source, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return nil, err
	}
	for _, b := range []struct{ out, what string }{{w.rye, "./cmd/rye"}, {w.empty, filepath.Join(source, "main.go")}} {
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.out, b.what)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building %s: %w\n%s", b.what, err, out)
		}
	}
	_, err := w.output(w.rye, "init")
	return w, err
}

// command prepares a program in the scratch world.
func (w *world) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.project
	cmd.Env = append(os.Environ(), "HOME="+w.home, "XDG_CACHE_HOME="+filepath.Join(w.home, ".cache"),
		"XDG_CONFIG_HOME="+filepath.Join(w.home, ".config"))
	return cmd
}

func (w *world) output(name string, args ...string) ([]byte, error) {
	out, err := w.command(name, args...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w\n%s", filepath.Base(name), args, err, out)
	}
	return out, nil
}

// write puts a file into the project's .ai/tools.
func (w *world) write(name, content string) error {
	file := filepath.Join(w.project, ".ai", "tools", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(content), 0o644)
}
