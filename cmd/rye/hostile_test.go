package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ground is a project and a home of a test's own, in which rye runs as a real process.
type ground struct {
	testing.TB
	project, home string
}

// outcome is what a run of rye left.
type outcome struct {
	code           int
	stdout, stderr string
}

// newGround has a key, and a project without items.
func newGround(t testing.TB) *ground {
	g := &ground{t, t.TempDir(), t.TempDir()}
	if out := g.rye("keys", "generate"); out.code != 0 {
		t.Fatalf("keys generate: %+v", out)
	}
	return g
}

// command is rye in the project, with nothing of the caller's environment but PATH.
func (g *ground) command(args ...string) *exec.Cmd {
	cmd := exec.Command("rye", args...)
	cmd.Dir = g.project
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.home, "LANG=C.UTF-8", "NO_COLOR=1", "GORACE=" + os.Getenv("GORACE")}
	return cmd
}

func (g *ground) rye(args ...string) outcome { return g.run(g.command(args...)) }

func (g *ground) run(cmd *exec.Cmd) outcome {
	g.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		g.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// write makes a file below the project.
func (g *ground) write(name, content string) string {
	g.Helper()
	file := filepath.Join(g.project, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
		g.Fatal(err)
	}
	return file
}

// sign signs everything in the project.
func (g *ground) sign() {
	g.Helper()
	if out := g.rye("sign", "--all"); out.code != 0 {
		g.Fatalf("sign --all: %+v", out)
	}
}

// document is the one JSON document that a run must leave on standard output.
func (g *ground) document(out outcome) map[string]any {
	g.Helper()
	dec := json.NewDecoder(strings.NewReader(out.stdout))
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		g.Fatalf("standard output is no JSON object: %v\n%+v", err, out)
	}
	if err := dec.Decode(new(any)); err != io.EOF {
		g.Fatalf("standard output holds more than one JSON document: %s", out.stdout)
	}
	return doc
}

// marker is a file that only code which must not run would make.
func (g *ground) marker() string { return filepath.Join(g.project, "pwned") }

func (g *ground) checkMarker() {
	g.Helper()
	if _, err := os.Lstat(g.marker()); err == nil {
		g.Fatal("hostile code has run")
	}
}

// echo is a runtime that hands {text} to a program as an argument, {command} after -c, and the parameters on standard
// input, and a tool that uses it.
func (g *ground) echo() {
	g.write(".ai/tools/echo/runtime.yaml", `version: "1.0.0"
tool_type: runtime
executor_id: rye/core/primitives/execute
category: echo
description: "Runs argv-json"
config:
  command: argv-json
  args: ["{text}", "-c", "{command}", "<{text}>"]
  input_data: "{params_json}"
`)
	g.write(".ai/tools/echo/tool.yaml", `version: "1.0.0"
tool_type: echo
executor_id: echo/runtime
category: echo
description: "Shows what arrives"
config_schema:
  type: object
  properties:
    text: {type: string}
    command: {type: string}
`)
	g.sign()
}
