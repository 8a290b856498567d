package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
)

// find gives the checks of a name.
func find(d *engine.Diagnosis, name string) (found []engine.Check) {
	for _, c := range d.Checks {
		if c.Name == name {
			found = append(found, c)
		}
	}
	return found
}

// withPrograms puts shell scripts on the PATH, before everything else.
func withPrograms(t *testing.T, programs map[string]string) func(*engine.Options) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return func(o *engine.Options) {
		o.Env = []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH"), "SERVICE_TOKEN=open-sesame"}
	}
}

func TestDoctorInterpreters(t *testing.T) {
	w := ryetest.New(t)
	for name, c := range map[string]struct{ script, status, detail string }{
		"new":     {"echo Python 3.12.1", engine.CheckOK, "3.12.1 at "},
		"old":     {"echo Python 3.9.18", engine.CheckWarn, "PYTHONSAFEPATH"},
		"older":   {"echo Python 2.99", engine.CheckWarn, "PYTHONSAFEPATH"},
		"broken":  {"echo 'bad token open-sesame' >&2; exit 4", engine.CheckFail, "exit code 4: bad token [redacted SERVICE_TOKEN]"},
		"mute":    {":", engine.CheckFail, "does not tell its version"},
		"hanging": {"sleep 60", engine.CheckFail, "no answer within 2s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			d := w.Engine(withPrograms(t, map[string]string{"python3": c.script})).Doctor(context.Background())
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
			got := find(d, "python3")
			if len(got) != 1 || got[0].Status != c.status || !strings.Contains(got[0].Detail, c.detail) {
				t.Fatalf("got %+v, want %s: …%s…", got, c.status, c.detail)
			}
			if (d.Failed > 0) != (c.status == engine.CheckFail) || (d.Status == "error") != (d.Failed > 0) {
				t.Errorf("status %s, %d failed", d.Status, d.Failed)
			}
			if c.status != engine.CheckOK && got[0].Fix == "" {
				t.Error("no command that fixes it")
			}
		})
	}
}

// TestDoctorSystemItems: a binary whose items do not verify is not to be used.
func TestDoctorSystemItems(t *testing.T) {
	w := ryetest.New(t)
	w.System.Write(".ai/tools/evil.yaml", ryetest.YAML(ryetest.Execute))
	got := find(w.Engine().Doctor(context.Background()), "system items")
	if len(got) != 1 || got[0].Status != engine.CheckFail || !strings.Contains(got[0].Detail, "tool:evil") {
		t.Errorf("got %+v", got)
	}
}

// TestDoctorCache: what can be made again is counted by kind; a cache that others can write is refused.
func TestDoctorCache(t *testing.T) {
	w := ryetest.New(t)
	for _, rel := range []string{"system-00/.ai/x", "pinned/ab/y", "pycache/z"} {
		file := filepath.Join(w.Cache, rel)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, 2048), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := find(w.Engine().Doctor(context.Background()), "cache")
	want := w.Cache + ": system items 1 files 2 KiB, pinned copies 1 files 2 KiB, compiled Python 1 files 2 KiB"
	if len(got) != 1 || got[0].Detail != want || got[0].Fix != "rm -rf "+w.Cache {
		t.Errorf("got %+v, want %s", got, want)
	}
}

// TestDoctorFixes: every line that asks for something says what to type.
func TestDoctorFixes(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/unsigned.yaml", ryetest.YAML(ryetest.Execute))
	w.Project.Write(".ai/config/keys/trusted/0123456789abcdef.toml", "x = 1\n")
	d := w.Engine(func(o *engine.Options) { o.DevMode, o.AcceptV1 = true, true }).Doctor(context.Background())
	var warned []string
	for _, c := range d.Checks {
		if c.Status == engine.CheckWarn || c.Status == engine.CheckFail {
			warned = append(warned, c.Name)
			if c.Fix == "" {
				t.Errorf("%s: no command that fixes it", c.Name)
			}
		}
	}
	for _, name := range []string{"project items", "trusted keys", "developer mode", "version 1 signatures"} {
		if !slices.Contains(warned, name) {
			t.Errorf("%s does not warn", name)
		}
	}
	if d.Warned < 4 {
		t.Errorf("%d warnings are counted", d.Warned)
	}
}
