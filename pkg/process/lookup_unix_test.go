//go:build linux || darwin

package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	write := func(path string, mode fs.FileMode) string {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	first, second := write("a/tool", 0o755), write("b/tool", 0o755)
	plain, shimmed := write("c/plain", 0o644), write("shims/tool", 0o755)
	dir := filepath.Join(root, "d", "tool")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	a, b, c, d, shims := filepath.Dir(first), filepath.Dir(second), filepath.Dir(plain), filepath.Dir(dir), filepath.Dir(shimmed)
	skipShims := func(dir string) bool { return dir == shims }

	tests := []struct {
		name, program, path string
		skip                func(string) bool
		want                string
		wantErr             error
		mention             []string
	}{
		{name: "first wins", program: "tool", path: a + ":" + b, want: first},
		{name: "missing directory is passed", program: "tool", path: root + "/none:" + b, want: second},
		{name: "a file in PATH is passed", program: "tool", path: plain + ":" + b, want: second},
		{name: "directory of the name is passed", program: "tool", path: d + ":" + b, want: second},
		{name: "skipped", program: "tool", path: shims + ":" + b, skip: skipShims, want: second},
		{name: "empty and relative are ignored", program: "tool", path: ":a:./a::" + b, want: second},
		{name: "says what it ignored", program: "tool", path: "a::" + shims, skip: skipShims, wantErr: fs.ErrNotExist,
			mention: []string{`"tool"`, `"a"`, `""`, `"` + shims + `"`}},
		{name: "not executable", program: "plain", path: c, wantErr: fs.ErrPermission, mention: []string{plain, "chmod +x"}},
		{name: "not there", program: "nothing", path: a, wantErr: fs.ErrNotExist, mention: []string{`"nothing"`}},
		{name: "absolute", program: first, path: "", want: first},
		{name: "absolute, not executable", program: plain, wantErr: fs.ErrPermission, mention: []string{plain}},
		{name: "absolute, a directory", program: a, wantErr: fs.ErrPermission, mention: []string{a}},
		{name: "relative path", program: "a/tool", path: root, wantErr: fs.ErrNotExist, mention: []string{"a/tool", "absolute"}},
		{name: "empty", program: "", path: a, wantErr: fs.ErrNotExist},
		{name: "dots", program: "..", path: a, wantErr: fs.ErrNotExist},
		{name: "NUL", program: "to\x00ol", path: a, wantErr: fs.ErrPermission, mention: []string{`"to\x00ol"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Lookup(tt.program, tt.path, tt.skip)
			if got != tt.want || !errors.Is(err, tt.wantErr) {
				t.Fatalf("got %q, %v; want %q, %v", got, err, tt.want, tt.wantErr)
			}
			for _, m := range tt.mention {
				if !strings.Contains(err.Error(), m) {
					t.Errorf("error does not mention %s: %v", m, err)
				}
			}
		})
	}
}
