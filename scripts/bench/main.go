//go:build unix

// Command bench measures what running a tool through rye costs, as ratios to programs that everyone has: an empty Go
// binary and bare bash. All of a table's programs run interleaved, in random order, in one go, because absolute times
// drift on shared machines (design §10).
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// counts are how often everything is done.
type counts struct{ rounds, items, async, flood, steps int }

func main() {
	if len(os.Args) == 2 && os.Args[1] == mcpServer {
		if err := serveMCP(); err != nil {
			os.Exit(1)
		}
		return
	}
	var n counts
	flag.IntVar(&n.rounds, "rounds", 200, "runs of each program")
	flag.IntVar(&n.items, "items", 10_000, "signed items to verify")
	flag.IntVar(&n.async, "async", 300, "detached runs to complete")
	flag.IntVar(&n.flood, "flood", 1024, "MiB of output of the flooding tool")
	flag.IntVar(&n.steps, "steps", 10_000, "steps of a graph, and items of a foreach")
	only := flag.String("only", "", "one `table`: start, engine, async, verify, memory, warm, mcp or graphs")
	flag.Parse()
	if err := run(n, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(n counts, only string) error {
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
		time.Now().UTC().Format("2006-01-02"), n.rounds)
	for _, table := range []struct {
		name    string
		measure func() error
	}{
		{"start", func() error { return w.startTable(n.rounds) }},
		{"engine", func() error { return w.inProcess(n.rounds) }},
		{"async", func() error { return errors.Join(w.asyncStart(n.rounds), w.asyncRate(n.async)) }},
		{"verify", func() error { return w.verifyRate(n.items) }},
		{"memory", func() error { return w.floodMemory(n.flood) }},
		{"warm", func() error { return w.warmTable(n.rounds) }},
		{"mcp", func() error { return w.mcpTable(n.rounds) }},
		{"graphs", func() error { return w.graphs(n.steps, n.rounds) }},
	} {
		if only != "" && only != table.name {
			continue
		}
		if err := table.measure(); err != nil {
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
