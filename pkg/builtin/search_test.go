package builtin

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"
)

func TestList(t *testing.T) {
	p := newProject(t, map[string]string{"sub/b.txt": "", "sub/A.txt": "", "sub/Z/x": "", "sub/c/x": "", "sub/\x1b[2Jx": "", "one": ""})
	p.mkdir("none")
	p.link("A.txt", "sub/l")
	p.link("sub/c", "dirlink")
	reply := p.ok("file-system/ls", params{"path": "sub"})
	equal(t, "output", reply["output"], any("sub/c/\nsub/Z/\nsub/\\x1b[2Jx\nsub/A.txt\nsub/b.txt\nsub/l"))
	equal(t, "entries", fmt.Sprintf("%q", fmt.Sprint(reply["entries"])), fmt.Sprintf("%q", "[map[name:sub/c type:directory] "+
		"map[name:sub/Z type:directory] map[name:sub/\x1b[2Jx type:file] map[name:sub/A.txt type:file] map[name:sub/b.txt type:file] "+
		"map[name:sub/l type:symlink]]"))
	equal(t, "project", p.ok("file-system/ls", "")["output"], any("none/\nsub/\ndirlink\none"))
	equal(t, "through a link", p.ok("file-system/ls", params{"path": "dirlink"})["output"], any("sub/c/x"))
	empty := p.ok("file-system/ls", params{"path": "none"})
	equal(t, "empty", fmt.Sprint(empty["output"], empty["entries"]), "[]")
	equal(t, "missing", p.fails("file-system/ls", params{"path": "nope"}), "File not found: nope")
	equal(t, "file", p.fails("file-system/ls", params{"path": "one"}), "Path is not a directory: one")
}

func TestGlob(t *testing.T) {
	p := newProject(t, map[string]string{
		"main.go": "", "README.md": "", ".hidden": "", "pkg/a.go": "", "pkg/deep/b.go": "", "pkg/deep/b_test.go": "", "pkg/\x1b[31m.go": "",
		"node_modules/x.go": "", "pkg/dist/y.go": "", "lib.egg-info/z.go": "", ".git/config": "", ".ai/cache/c.go": "", ".ai/tools/t.go": "",
	})
	p.link("../main.go", "pkg/link.go")
	p.link("deep", "pkg/again")
	tests := []struct {
		pattern, path string
		want          []string
	}{
		{"*.go", "", []string{"main.go"}},
		{"./*.go", ".", []string{"main.go"}},
		{"**/*.go", "", []string{".ai/tools/t.go", "main.go", `pkg/\x1b[31m.go`, "pkg/a.go", "pkg/deep/b.go", "pkg/deep/b_test.go", "pkg/link.go"}},
		{"*", "", []string{".hidden", "README.md", "main.go"}},
		{"pkg/**", "", []string{`pkg/\x1b[31m.go`, "pkg/a.go", "pkg/deep/b.go", "pkg/deep/b_test.go", "pkg/link.go"}},
		{"**/b{,_test}.go", "pkg", []string{"pkg/deep/b.go", "pkg/deep/b_test.go"}},
		{"*", "pkg/again", []string{"pkg/deep/b.go", "pkg/deep/b_test.go"}},
		{"*", "pkg/dist", []string{"pkg/dist/y.go"}},
		{"*.txt", "", nil},
	}
	for _, test := range tests {
		reply := p.ok("file-system/glob", params{"pattern": test.pattern, "path": test.path})
		want := strings.Join(test.want, "\n")
		if test.want == nil {
			want = "No files match " + test.pattern
		}
		equal(t, test.pattern, reply["output"], any(want))
		equal(t, test.pattern+": count", reply["count"], any(float64(len(test.want))))
		equal(t, test.pattern+": files", len(reply["files"].([]any)), len(test.want))
		equal(t, test.pattern+": truncated", reply["truncated"], any(false))
	}
	raw := p.ok("file-system/glob", params{"pattern": "pkg/[!a-z]*"})["files"].([]any)
	equal(t, "raw name", raw[0], any("pkg/\x1b[31m.go"))
	equal(t, "missing", p.fails("file-system/glob", params{"pattern": "*", "path": "nope"}), "Search path not found: nope")
	equal(t, "file", p.fails("file-system/glob", params{"pattern": "*", "path": "main.go"}), "Search path is not a directory: main.go")
}

func TestGlobIsBounded(t *testing.T) {
	p := newProject(t, nil)
	for i := range 130 {
		p.put(fmt.Sprintf("d%d/f%03d", i%3, i), "")
	}
	reply := p.ok("file-system/glob", params{"pattern": "**"})
	files := reply["files"].([]any)
	equal(t, "count, truncated, listed", fmt.Sprint(reply["count"], reply["truncated"], len(files)), "130 true 100")
	equal(t, "last listed", files[99], any("d2/f038"))

	w, err := openWorkspace(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	seen := 0
	k := walker{w: w, ctx: t.Context(), left: 20, complete: true, visit: func(string, fs.DirEntry) bool { seen++; return true }}
	if err := k.folder(".", 0); err != nil || k.complete || seen != 17 {
		t.Errorf("a walk of 20 entries visits %d files, complete %t, %v", seen, k.complete, err)
	}
	p.mkdir(strings.Repeat("n/", maxDepth+20))
	if complete, err := w.walk(t.Context(), ".", func(string, fs.DirEntry) bool { return true }); complete || err != nil {
		t.Errorf("a deep walk is complete: %t, %v", complete, err)
	}
}

func TestGrep(t *testing.T) {
	p := newProject(t, map[string]string{
		"main.go":         "package main\n\nfunc main() {}\r\n",
		"pkg/a.go":        "package a\nfunc A() {}",
		"pkg/a.txt":       "func in text",
		"pkg/binary":      "func\x00",
		"pkg/big":         "func" + strings.Repeat(" ", maxSearched),
		"pkg/long":        strings.Repeat("é", 600) + "func",
		"vendor/\x1b]x":   "func",
		".git/x":          "func",
		".ai/cache/x":     "func",
		".ai/tools/t.txt": "nothing",
	})
	p.link("main.go", "copy.go")
	id := p.ids("main.go")[2]
	long := "pkg/long:1│ " + strings.Repeat("é", 500)
	tests := []struct {
		args params
		want []string
	}{
		{params{"pattern": `^func \w+`}, []string{"main.go:3:" + id + "│ func main() {}", "pkg/a.go:2│ func A() {}", "pkg/a.txt:1│ func in text"}},
		{params{"pattern": `func`, "path": "pkg"}, []string{"pkg/a.go:2│ func A() {}", "pkg/a.txt:1│ func in text", long}},
		{params{"pattern": `func`, "include": "*.go"}, []string{"main.go:3:" + id + "│ func main() {}", "pkg/a.go:2│ func A() {}"}},
		{params{"pattern": `func`, "include": "pkg/*.{go,md}"}, []string{"pkg/a.go:2│ func A() {}"}},
		{params{"pattern": `func`, "include": "a.*", "path": "pkg"}, []string{"pkg/a.go:2│ func A() {}", "pkg/a.txt:1│ func in text"}},
		{params{"pattern": `func$`, "path": "vendor"}, []string{`vendor/\x1b]x:1│ func`}},
		{params{"pattern": `(?i)PACKAGE`, "path": "pkg/a.go"}, []string{"pkg/a.go:1│ package a"}},
		{params{"pattern": `\}$`, "path": "copy.go"}, []string{"main.go:3:" + id + "│ func main() {}"}},
		{params{"pattern": "nowhere\x1b"}, nil},
	}
	for _, test := range tests {
		reply := p.ok("file-system/grep", test.args)
		want := strings.Join(test.want, "\n")
		if test.want == nil {
			want = `No matches for nowhere\x1b`
		}
		equal(t, fmt.Sprint(test.args), reply["output"], any(want))
		equal(t, fmt.Sprint(test.args, ": count"), reply["count"], any(float64(len(test.want))))
		equal(t, fmt.Sprint(test.args, ": truncated"), reply["truncated"], any(false))
	}
	match := p.ok("file-system/grep", params{"pattern": "main\\(", "path": "main.go"})["matches"].([]any)[0]
	equal(t, "match", fmt.Sprint(match), fmt.Sprintf("map[content:func main() {} file:main.go line:3 line_id:%s]", id))

	p.put("main.go", "func changed\n")
	equal(t, "changed since the read", p.ok("file-system/grep", params{"pattern": "changed"})["output"], any("main.go:1│ func changed"))
	equal(t, "missing", p.fails("file-system/grep", params{"pattern": "x", "path": "nope"}), "Search path not found: nope")
	equal(t, "binary by name", p.fails("file-system/grep", params{"pattern": "x", "path": "pkg/binary"}), "Cannot read pkg/binary: binary file")
	if got := p.fails("file-system/grep", params{"pattern": "x", "path": "pkg/big"}); !strings.HasPrefix(got, "File is too large: pkg/big") {
		t.Errorf("big by name: %s", got)
	}
}

func TestGrepIsBounded(t *testing.T) {
	p := newProject(t, map[string]string{"a": strings.Repeat("x\n", 100), "b/c": "y\n"})
	reply := p.ok("file-system/grep", params{"pattern": "x"})
	equal(t, "100 matches", fmt.Sprint(reply["count"], reply["truncated"]), "100 false")
	reply = p.ok("file-system/grep", params{"pattern": "[xy]"})
	equal(t, "101 matches", fmt.Sprint(reply["count"], reply["truncated"]), "100 true")
	p.put("slow", strings.Repeat("a", maxPlainLine+1))
	for _, pattern := range []string{"(a+)+(a*)*$x", "^a+$b"} {
		equal(t, pattern, p.ok("file-system/grep", params{"pattern": pattern})["count"], any(0.0))
	}
	equal(t, "in a long line", p.ok("file-system/grep", params{"pattern": "^a+$"})["count"], any(1.0))
	for pattern, want := range map[string]string{
		strings.Repeat("a", maxRegexp+1):    "it is longer than 4096 bytes",
		strings.Repeat("(ab|c){1,900}", 50): "it is too complex; repeat less",
	} {
		equal(t, pattern[:5], p.fails("file-system/grep", params{"pattern": pattern}), "Invalid regular expression: "+want)
	}
}

func TestGrepStopsInALongLine(t *testing.T) {
	re, err := compileRegexp(`(a?b?c?){300}d`)
	if err != nil {
		t.Fatal(err)
	}
	// Without the interruption this match takes minutes.
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	s := &searcher{ctx: ctx, re: re}
	if s.matches(strings.Repeat("abc", 1<<20)) || time.Since(start) > 20*time.Second {
		t.Errorf("the search took %v", time.Since(start))
	}
	expired := explainSearch(t.Context(), "x", context.DeadlineExceeded)
	equal(t, "out of time", expired.Error(), "The search took longer than 30s. Narrow it down with 'path' or with the pattern")
}
