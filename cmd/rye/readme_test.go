package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// readmeBlock is one ```sh block and the lines of the ```text block after it, which its output must show in that order.
type readmeBlock struct {
	line   int
	script string
	shows  []string
}

// TestReadme runs the tour in the README as a person would: every sh block in order, in one shell, in an empty folder
// with a home of its own. A command that fails must say so with `|| echo`.
func TestReadme(t *testing.T) { runTour(t, "README.md") }

// TestGraphsGuide does it with the guide to state graphs.
func TestGraphsGuide(t *testing.T) { runTour(t, "docs/graphs.md") }

func runTour(t *testing.T, name string) {
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	blocks := readmeBlocks(string(text))
	if len(blocks) == 0 {
		t.Fatalf("%s has no sh block", name)
	}
	const mark = "\x1e"
	script := "set -euo pipefail\n"
	for _, b := range blocks {
		script += fmt.Sprintf("%s\nprintf '%s'\n", b.script, mark)
	}
	outputs := strings.Split(runReadme(t, script), mark)
	for i, b := range blocks {
		if i >= len(outputs)-1 {
			t.Fatalf("%s:%d: the block failed:\n%s\n%s", name, b.line, b.script, outputs[len(outputs)-1])
		}
		if missing := firstMissing(b.shows, outputs[i]); missing != "" {
			t.Errorf("%s:%d: the output lacks %q:\n%s", name, b.line, missing, outputs[i])
		}
	}
}

// runReadme gives both streams of the script, whether it fails or not.
func runReadme(t *testing.T, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-c", script)
	bash.Dir = t.TempDir()
	bash.WaitDelay = 5 * time.Second
	home := t.TempDir()
	bash.Env = append(os.Environ(),
		"HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"USER_SPACE=", "RYE_SIGNING_KEY_DIR=", "RYE_DEV_MODE=", "RYE_OUTPUT=text", // what a terminal shows
	)
	out, err := bash.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("the README's commands did not end in time:\n%s", out)
	}
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return string(out)
}

// readmeBlocks also takes yaml blocks that begin with the name of a file below .ai, as commands that write it.
func readmeBlocks(text string) []readmeBlock {
	var blocks []readmeBlock
	language := ""
	for i, line := range strings.Split(text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && language != "":
			if language == "file " {
				blocks[len(blocks)-1].script += "EOF\n"
			}
			language = ""
		case isFence:
			language = fence + " "
			if fence == "sh" {
				blocks = append(blocks, readmeBlock{line: i + 2})
			}
		case language == "sh ":
			blocks[len(blocks)-1].script += line + "\n"
		case language == "yaml " && strings.HasPrefix(line, "# .ai/"):
			file := strings.TrimPrefix(line, "# ")
			blocks = append(blocks, readmeBlock{line: i + 1, script: writeFile(file)})
			language = "file "
		case language == "file ":
			blocks[len(blocks)-1].script += line + "\n"
		case language == "text " && len(blocks) > 0 && strings.TrimSpace(line) != "":
			last := &blocks[len(blocks)-1]
			last.shows = append(last.shows, line)
		}
	}
	return blocks
}

func writeFile(file string) string {
	return fmt.Sprintf("mkdir -p %s\ncat > %s <<'EOF'\n", filepath.Dir(file), file)
}

// firstMissing is the first expected line that the output does not have after the ones before it; … stands for any text.
func firstMissing(expected []string, output string) string {
	lines := strings.Split(output, "\n")
	for _, want := range expected {
		parts := strings.Split(strings.TrimSpace(want), "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern := regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
		found := -1
		for i, line := range lines {
			if pattern.MatchString(strings.TrimSpace(line)) {
				found = i
				break
			}
		}
		if found < 0 {
			return want
		}
		lines = lines[found+1:]
	}
	return ""
}

func TestFirstMissing(t *testing.T) {
	output := "  a\nb 12 ms\nc"
	for _, test := range []struct {
		expected []string
		want     string
	}{
		{[]string{"a", "b … ms", "c"}, ""},
		{[]string{"b … ms", "a"}, "a"},
		{[]string{"b"}, "b"},
		{[]string{"…2 ms"}, ""},
		{[]string{"b . ms"}, "b . ms"},
	} {
		if got := firstMissing(test.expected, output); got != test.want {
			t.Errorf("%q: got %q, want %q", test.expected, got, test.want)
		}
	}
}
