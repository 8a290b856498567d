//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/thread"
)

// secrecy is the measurement: a world with canaries, and the places where they must not be.
type secrecy struct {
	*world
	finding
	canaries []canary
	params   string // a JSON object with the secret parameters
	sinks    int    // texts and files that were searched
	bytes    int64
	runs     int
	threads  []string
}

// canaryHows are the ways in which the tool tells its secrets, canaryEnds those of runs that are cut short while it stays.
var (
	canaryHows = []string{"plain", "stderr", "json", "report", "fragments", "encoded", "fail", "crash"}
	canaryEnds = []string{"cancel", "kill the tool", "kill the runner", "timeout"}
)

func secrets(b *binaries, count int) finding {
	s, err := b.newSecrecy(count)
	if err != nil {
		return failed(err)
	}
	for _, how := range canaryHows {
		s.inForeground(how)
		s.detached(how)
	}
	for _, end := range canaryEnds {
		s.cutShort(end, nil)
	}
	s.cutShort("cancel", []string{"--env", "minimal"})
	s.rerun()
	s.commands()
	s.files()
	s.measured = fmt.Sprintf("%d runs, %d texts, files and processes with %d KiB searched for %d secrets, plain, JSON, hex, percent and base64: %d hits. Not a sink: standard output and error of the tool in the answer of a run that is not detached, which are its result",
		s.runs, s.sinks, s.bytes>>10, count, len(s.broken))
	return s.finding
}

func (b *binaries) newSecrecy(count int) (*secrecy, error) {
	w, err := b.newWorld(b.rye)
	if err != nil {
		return nil, err
	}
	s := &secrecy{world: w, canaries: canaries(count)}
	properties, params, declared, dotEnv := map[string]any{"how": map[string]any{"type": "string"}}, map[string]any{}, []string{}, ""
	temp := filepath.Join(w.home, "tmp")
	w.env = append(w.env, "TMPDIR="+temp)
	for _, c := range s.canaries {
		switch c.from {
		case fromParameter:
			properties[c.name], params[c.name] = map[string]any{"type": "string", "secret": true}, c.held
		case fromDotEnv:
			dotEnv += c.dotEnvLine()
		case fromDeclared:
			declared = append(declared, c.name)
			fallthrough
		default:
			w.env = append(w.env, c.name+"="+c.held)
		}
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
	config, _ := json.Marshal(map[string]any{"secrets": declared})
	doc, _ := json.Marshal(params)
	s.params = string(doc)
	script := fmt.Sprintf("# CONFIG_SCHEMA = %s\n# ENV_CONFIG = %s\nexec %s tell-canaries \"$RYE_PARAM_HOW\" %d\n", schema, config, b.self, count)
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(w.project, ".env"), []byte(dotEnv), 0o600); err != nil {
		return nil, err
	}
	return s, w.addTools(map[string]string{"tell": script})
}

// execute runs rye with the secret parameters on standard input, as who writes them on a command line shows them himself.
func (s *secrecy) execute(args ...string) answer {
	cmd := s.command(append([]string{"-o", "json"}, args...)...)
	cmd.Stdin = strings.NewReader(s.params)
	s.runs++
	return await(cmd)
}

// inForeground looks at everything in the answer but the tool's own result.
func (s *secrecy) inForeground(how string) {
	a := s.execute("execute", "--trace", "--params", "-", "tool:tell", "--how", how)
	var doc map[string]any
	if err := a.decode(&doc); err != nil {
		s.breakf("%s: %v", how, err)
		return
	}
	data, _ := json.Marshal(doc["data"])
	if want := fmt.Sprintf("told %d", len(s.canaries)); !strings.Contains(string(data), want) {
		s.breakf("%s: the tool was not given every secret: %.300s", how, data)
	}
	delete(doc, "data")
	rest, _ := json.Marshal(doc)
	s.search("the answer to execute, "+how, string(rest))
	s.search("the standard error of execute, "+how, a.stderr)
}

// detached looks at all that is said of a detached run; the answers to the commands that show it come later.
func (s *secrecy) detached(how string) {
	a := s.execute("execute", "--async", "--params", "-", "tool:tell", "--how", how)
	s.answer("execute --async, "+how, a)
	var l launched
	if err := a.decode(&l); err != nil || l.ID == "" {
		s.breakf("%s: no launch: %v %.300s", how, err, a.stdout)
		return
	}
	s.threads = append(s.threads, l.ID)
	if _, err := s.settled(time.Minute, l.ID); err != nil {
		s.breakf("%s: %v", how, err)
	}
	if how != "json" && how != "report" {
		log := s.run("threads", "logs", l.ID)
		if text := log.stdout + log.stderr; !strings.Contains(text, fmt.Sprintf("told %d", len(s.canaries))) || strings.Count(text, "[redacted ") < len(s.canaries) {
			s.breakf("%s: the log lacks what is no secret: %.500s", how, text)
		}
	}
}

// cutShort ends a run whose tool stays, after a look at its processes.
func (s *secrecy) cutShort(end string, flags []string) {
	args := slices.Concat(flags, []string{"execute", "--async", "--params", "-"})
	if end == "timeout" {
		args = append(args, "--timeout", "2s")
	}
	a := s.execute(append(args, "tool:tell", "--how", "stay")...)
	s.answer("execute --async, "+end, a)
	var l launched
	if err := a.decode(&l); err != nil || l.ID == "" {
		s.breakf("%s: no launch: %v %.300s", end, err, a.stdout)
		return
	}
	s.threads = append(s.threads, l.ID)
	if err := awaitText(filepath.Join(s.registry(), l.ID, "stdout.log"), "staying"); err != nil {
		s.breakf("%s: %v", end, err)
	}
	tool := s.processes(l, flags != nil)
	switch end {
	case "cancel":
		s.answer("threads cancel", s.run("-o", "json", "threads", "cancel", l.ID))
	case "kill the tool":
		kill(tool)
	case "kill the runner":
		kill(l.PID)
	}
	if _, err := s.settled(time.Minute, l.ID); err != nil {
		s.breakf("%s: %v", end, err)
	}
}

// processes looks at the command lines of all processes, and at the environments of those of a run. The caller's own
// variables are inherited by every program that it starts; what the run alone was given is not, except by the tool, and
// with a minimal environment the tool gets none of the caller's.
func (s *secrecy) processes(l launched, minimal bool) (tool int) {
	for pid, line := range processes("") {
		s.search(fmt.Sprintf("the command line of process %d", pid), line)
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !strings.Contains(string(environ), l.ID) || !strings.Contains(string(environ), s.project) {
			continue
		}
		switch {
		case pid == l.PID:
			s.searchFor(func(c canary) bool { return c.from == fromParameter || c.from == fromDotEnv }, "the environment of the runner", string(environ))
		default:
			tool = pid
			if minimal {
				s.searchFor(func(c canary) bool { return c.from != fromParameter && c.from != fromDotEnv }, "the environment of the tool", string(environ))
			}
		}
	}
	if tool == 0 {
		s.breakf("the tool of thread %s was not found", l.ID)
	}
	return tool
}

// rerun asks for the secrets again, and gets them.
func (s *secrecy) rerun() {
	refused := s.run("-o", "json", "threads", "rerun", s.threads[0])
	s.answer("threads rerun without the secrets", refused)
	if refused.code != 2 {
		s.breakf("a rerun without the secrets leaves with %d: %.300s", refused.code, refused.stdout)
	}
	a := s.execute("threads", "rerun", s.threads[0], "--params", "-", "--async")
	s.answer("threads rerun", a)
	var l launched
	if err := a.decode(&l); err != nil || l.ID == "" {
		s.breakf("no rerun: %v %.300s", err, a.stdout)
		return
	}
	if rows, err := s.settled(time.Minute, l.ID); err != nil || rows[0].Status != thread.Completed {
		s.breakf("the rerun: %+v %v", rows, err)
	}
	s.threads = append(s.threads, l.ID)
}

// commands looks at what the commands say about all this.
func (s *secrecy) commands() {
	for _, format := range []string{"json", "text", "yaml"} {
		for _, args := range [][]string{
			{"threads", "list"}, {"threads", "prune", "--keep", "0", "--dry-run"}, {"doctor"}, {"list"}, {"show", "tool:tell"},
			slices.Concat([]string{"threads", "wait"}, s.threads),
			slices.Concat([]string{"threads", "watch"}, s.threads),
		} {
			s.answer(strings.Join(args[:min(2, len(args))], " "), s.run(append([]string{"-o", format, "-v"}, args...)...))
		}
		for _, id := range s.threads {
			s.answer("threads show", s.run("-o", format, "threads", "show", id))
			s.answer("threads logs", s.run("-o", format, "threads", "logs", id))
			s.answer("threads logs --stream runner", s.run("-o", format, "threads", "logs", "--stream", "runner", id))
		}
		dry := s.execute("-o", format, "trace", "--dry-run", "--params", "-", "tool:tell", "--how", "plain")
		s.answer("trace --dry-run", dry)
		s.answer("a wrong parameter", s.execute("-o", format, "execute", "--params", "-", "tool:tell", "--nothing", "1"))
	}
}

// files looks at every file that rye has written.
func (s *secrecy) files() {
	for _, dir := range []string{s.home, filepath.Join(s.project, ".ai")} {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			s.search(path, string(data))
			return err
		})
	}
}

func (s *secrecy) answer(what string, a answer) {
	s.search("standard output of "+what, a.stdout)
	s.search("standard error of "+what, a.stderr)
}

func (s *secrecy) search(where, text string) {
	s.searchFor(func(canary) bool { return true }, where, text)
}

func (s *secrecy) searchFor(which func(canary) bool, where, text string) {
	s.sinks++
	s.bytes += int64(len(text))
	for _, c := range s.canaries {
		if !which(c) {
			continue
		}
		for _, form := range c.encodings() {
			if at := strings.Index(text, form); at >= 0 {
				s.breakf("%s holds a canary (%s): …%q…", where, c.from, text[max(0, at-40):min(len(text), at+len(form)+20)])
			}
		}
	}
}
