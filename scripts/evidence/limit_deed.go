//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// deed is a command that opens and writes files. It is tried where it cannot, and must then say so and leave nothing half
// done.
type deed struct {
	name        string
	args        []string
	newProject  bool     // there is nothing in the project yet
	newHome     bool     // nor in the home
	firstThread bool     // there is no registry yet
	detached    bool     // it starts a thread
	then        []string // what works in the end
}

var deeds = []deed{
	{name: "execute", args: []string{"execute", "tool:say", "--word", sayWord}},
	{name: "execute --pin", args: []string{"execute", "--pin", "tool:say", "--word", sayWord}},
	{name: "execute --async", args: []string{"execute", "--async", "tool:say", "--word", sayWord}, detached: true},
	{name: "the first execute --async", args: []string{"execute", "--async", "tool:say", "--word", sayWord}, detached: true, firstThread: true},
	{name: "sign", args: []string{"sign", "tool:fresh"}, then: []string{"execute", "tool:fresh"}},
	{name: "init", args: []string{"init"}, newProject: true, then: []string{"execute", "tool:hello"}},
	{name: "the first init", args: []string{"init"}, newProject: true, newHome: true, then: []string{"execute", "tool:hello"}},
	{name: "keys generate", args: []string{"keys", "generate", "--force"}, then: []string{"sign", "tool:fresh"}},
	{name: "file-system/write", args: []string{"execute", "tool:rye/file-system/write", "--path", "new.txt", "--content", strings.Repeat("written\n", 4000)}},
	{name: "threads list", args: []string{"threads", "list"}},
	{name: "threads prune", args: []string{"threads", "prune", "--keep", "1"}},
	{name: "list", args: []string{"list"}},
}

const sayWord = "word-4711"

// sayTool says its word, with enough text for a log to need space.
const sayTool = `# CONFIG_SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}}
for i in {1..300}; do echo "$RYE_PARAM_WORD and some more words of line $i"; done
`

// template is a home and a project to begin with, and what a deed makes of them when nothing is in its way.
type template struct {
	*world
	after map[string]contents // by deed
}

func (b *binaries) newTemplate() (*template, error) {
	w, err := b.withTools(map[string]string{"say": sayTool, "finish": finishTool})
	if err != nil {
		return nil, err
	}
	for range 2 {
		l, err := w.launch("tool:say", "--word", "earlier")
		if err != nil {
			return nil, err
		}
		if _, err := w.settled(time.Minute, l.ID); err != nil {
			return nil, err
		}
	}
	t := &template{world: w}
	if err := os.WriteFile(w.toolFile("fresh"), []byte(toolHead+"echo fresh\n"), 0o644); err != nil {
		return nil, err
	}
	return t, t.reference(b)
}

// reference does every deed where nothing is in its way.
func (t *template) reference(b *binaries) error {
	t.after = map[string]contents{}
	for _, d := range deeds {
		dir, err := os.MkdirTemp(b.dir, "reference-")
		if err != nil {
			return err
		}
		w, err := t.lay(d, filepath.Join(dir, "home"), filepath.Join(dir, "project"))
		if err == nil {
			err = w.must(append([]string{"-o", "json"}, d.args...)...)
		}
		if err != nil {
			return err
		}
		t.after[d.name] = w.files()
	}
	return nil
}

// lay puts a copy of the template where a deed is to begin.
func (t *template) lay(d deed, home, project string) (*world, error) {
	w := &world{rye: t.rye, home: home, project: project}
	for _, entry := range t.env {
		w.env = append(w.env, strings.ReplaceAll(entry, t.home, home))
	}
	for _, part := range []struct {
		from, to string
		empty    bool
	}{{t.home, home, d.newHome}, {t.project, project, d.newProject}} {
		if err := os.MkdirAll(part.to, 0o755); err != nil {
			return nil, err
		}
		if part.empty {
			continue
		}
		if out, err := exec.Command("cp", "-a", part.from+"/.", part.to).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("cp: %w\n%s", err, out)
		}
	}
	if d.firstThread {
		return w, os.RemoveAll(filepath.Join(project, ".ai", "state"))
	}
	return w, nil
}
