//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// broodTool runs the helper brood.
func (g *ground) broodTool() {
	g.write(".ai/tools/brood/runtime.yaml", `version: "1.0.0"
tool_type: runtime
executor_id: rye/core/primitives/execute
category: brood
description: "Runs brood"
config: {command: brood, args: ["{shape}", "{folder}", "{end}"]}
`)
	g.write(".ai/tools/brood/tool.yaml", `version: "1.0.0"
tool_type: brood
executor_id: brood/runtime
category: brood
description: "Leaves processes behind"
config_schema:
  type: object
  properties:
    shape: {type: string}
    folder: {type: string}
    end: {type: string}
`)
	g.sign()
}

// endings are how a run can come to its end while processes of it live.
var endings = map[string]struct {
	signal    syscall.Signal // for rye, once everything runs
	flags     []string
	end       string
	code      int
	errorType any
}{
	"timeout": {flags: []string{"--timeout", "5s"}, end: "stay", code: exitTimeout, errorType: "timeout"},
	"leave":   {end: "leave", code: exitOK},
	"SIGINT":  {signal: syscall.SIGINT, end: "stay", code: exitInterrupted, errorType: "interrupted"},
	"SIGTERM": {signal: syscall.SIGTERM, end: "stay", code: exitInterrupted, errorType: "interrupted"},
	"SIGHUP":  {signal: syscall.SIGHUP, end: "stay", code: exitInterrupted, errorType: "interrupted"},
}

// promptly bounds the time from the end of a run to that of rye: the grace for those who do not listen, and room for a
// busy machine. It is far from the lifetime of the processes.
const promptly = 20 * time.Second

func TestNoProcessIsLeftBehind(t *testing.T) {
	g := newGround(t)
	g.broodTool()
	for shape := range shapes {
		for ending := range endings {
			t.Run(shape+"/"+ending, func(t *testing.T) {
				t.Parallel()
				(&ground{t, g.project, g.home}).endsBrood(shape, ending)
			})
		}
	}
}

func (g *ground) endsBrood(shape, ending string) {
	dir, how := g.TempDir(), endings[ending]
	args := append([]string{"execute", "tool:brood/tool", "--shape", shape, "--folder", dir, "--end", how.end}, how.flags...)
	cmd := g.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		g.Fatal(err)
	}
	if how.signal != 0 {
		g.await(filepath.Join(dir, "ready"))
		cmd.Process.Signal(how.signal)
	}
	began := time.Now()
	cmd.Wait()
	out := outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	if took := time.Since(began); took > promptly {
		g.Errorf("rye needed %v", took)
	}
	for _, file := range append([]string{"brood"}, shapes[shape].files...) {
		pid := g.pidIn(filepath.Join(dir, file))
		if alive(pid) {
			syscall.Kill(pid, syscall.SIGKILL)
			g.Errorf("process %d (%s) is left behind", pid, file)
		}
	}
	if doc := g.document(out); out.code != how.code || doc["error_type"] != how.errorType {
		g.Errorf("left with %d and %v, want %d and %v", out.code, doc, how.code, how.errorType)
	}
}

// await waits for a file that a helper makes.
func (g *ground) await(file string) {
	g.Helper()
	for deadline := time.Now().Add(30 * time.Second); !exists(file); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			g.Fatalf("%s did not appear", file)
		}
	}
}

func (g *ground) pidIn(file string) int {
	g.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		g.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		g.Fatal(err)
	}
	return pid
}

// maxMemory is what rye may need whatever a tool writes (design §10).
const maxMemory = 64 << 20

// A tool writes 1 GB. rye keeps head and tail, says so, and stays small. Control characters take six bytes each in JSON.
func TestFloodIsCapped(t *testing.T) {
	g := newGround(t)
	g.write(".ai/tools/flood/runtime.yaml", `version: "1.0.0"
tool_type: runtime
executor_id: rye/core/primitives/execute
category: flood
description: "Runs flood"
config: {command: flood, args: ["{blocks}", "{fill}"]}
`)
	g.write(".ai/tools/flood/tool.yaml", `version: "1.0.0"
tool_type: flood
executor_id: flood/runtime
category: flood
description: "Writes a lot"
config_schema:
  type: object
  properties:
    blocks: {type: integer}
    fill: {type: string}
`)
	g.sign()
	blocks := 1 << 30 / floodBlock
	if testing.Short() || raceDetector {
		blocks = 100 << 20 / floodBlock
	}
	count := strconv.Itoa(blocks)
	for name, c := range map[string]struct {
		args []string
		fill byte
		keep int
	}{
		"default cap":        {[]string{"tool:flood/tool", "--blocks", count, "--fill", "x"}, 'x', 10 << 20},
		"control characters": {[]string{"tool:flood/tool", "--blocks", count, "--fill", "\x01"}, 1, 10 << 20},
		"rye/bash":           {[]string{"tool:rye/bash", "--command", "flood " + count}, 'x', 51200},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, memory := (&ground{t, g.project, g.home}).measured(append([]string{"execute"}, c.args...)...)
			var response struct {
				Data struct {
					Stdout    string
					Truncated bool
				}
			}
			if err := json.Unmarshal(stdout, &response); err != nil {
				t.Fatal(err)
			}
			notice := fmt.Sprintf("\n... [output truncated, %d bytes total]\n", blocks*floodBlock)
			head, tail, _ := strings.Cut(response.Data.Stdout, notice)
			wantHead, wantTail := floodEnds(blocks, c.keep/2, c.fill)
			if !response.Data.Truncated || head != wantHead || tail != wantTail {
				t.Errorf("truncated is %t, head %d and tail %d bytes, want %d and %d of what was written",
					response.Data.Truncated, len(head), len(tail), len(wantHead), len(wantTail))
			}
			if memory > maxMemory && !raceDetector {
				t.Errorf("rye took %d MiB, want at most %d", memory>>20, maxMemory>>20)
			}
		})
	}
}

// floodEnds gives the first and the last n bytes of a flood.
func floodEnds(blocks, n int, fill byte) (head, tail string) {
	var first, last bytes.Buffer
	pieces := n/floodBlock + 1
	for i := range pieces {
		first.Write(floodPiece(i, fill))
		last.Write(floodPiece(blocks-pieces+i, fill))
	}
	return first.String()[:n], last.String()[last.Len()-n:]
}

// measured runs rye and gives its standard output and the most memory that it took: its own, without the tool's. As rye
// cannot end before its output is read, the high-water mark is looked at between the pieces.
func (g *ground) measured(args ...string) (stdout []byte, memory int) {
	g.Helper()
	cmd := g.command(args...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		g.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		g.Fatal(err)
	}
	piece := make([]byte, 32<<10)
	for err == nil {
		var n int
		n, err = pipe.Read(piece)
		stdout = append(stdout, piece[:n]...)
		memory = max(memory, highWater(cmd.Process.Pid))
	}
	if err != io.EOF {
		g.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		g.Error(err)
	}
	if memory == 0 {
		g.Error("the memory could not be measured")
	}
	return stdout, memory
}

// highWater is the peak of a process's resident memory in bytes, 0 once it has ended.
func highWater(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(rest, "kB", 2)[0]))
	if err != nil {
		return 0
	}
	return kib << 10
}
