package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ryeos/rye/pkg/confine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// SandboxOptions are what the caller and the engine want of a sandbox.
type SandboxOptions struct {
	Wanted   bool     // also where the chain declares none
	Required bool     // refuse to run where the kernel cannot
	Hidden   []string // what no sandbox may read: keys
	Fixed    []string // what none may write
}

// SandboxVerb is the argument with which rye confines itself and becomes the program that follows.
const SandboxVerb = "_sandbox-exec"

// sandboxesDir holds the private folders of confined runs, below the cache folder.
const sandboxesDir = "sandbox"

// Sandbox is the confinement of a plan.
type Sandbox struct {
	Facts   item.SandboxFacts // Realised is known when the plan has run
	Warning string            // "", or what is not confined although it was asked for

	policy  confine.Policy
	binary  string // rye; "" where it would confine nothing
	folder  string // holds the folders of runs
	private string // the folder of this run
}

// sandbox plans the confinement that the chain declares or the caller wants.
func (b *builder) sandbox(p *Plan) error {
	declared := b.declaredSandboxes()
	wanted := b.in.Sandbox.Wanted || b.in.Sandbox.Required
	if len(declared) == 0 && !wanted {
		return nil
	}
	support := confine.Probe()
	if b.in.Binary == "" {
		support = confine.Support{Without: "it is not known where rye itself is"}
	}
	s := &Sandbox{folder: filepath.Join(confine.RealPath(b.in.Cache), sandboxesDir)}
	s.Facts = item.SandboxFacts{Requested: []string{}, Realised: []string{}, Missing: []string{}}
	if support.Without == "" {
		s.binary = b.in.Binary
	}
	s.policy = b.policy(p, s, declared, wanted)
	var open []string
	for _, c := range support.Controls(s.policy.Net) {
		s.Facts.Requested = append(s.Facts.Requested, c.Name)
		switch {
		case c.Missing == "":
			s.policy.Promised = append(s.policy.Promised, c.Name)
			continue
		case c.Essential:
			open = append(open, c.Name+": "+c.Missing)
		}
		s.Facts.Missing = append(s.Facts.Missing, c.Name+": "+c.Missing)
	}
	p.Sandbox = s
	if len(open) == 0 {
		return b.context.err
	}
	s.Warning = "the sandbox is not complete: " + strings.Join(open, "; ")
	if b.in.Sandbox.Required {
		return item.Errorf(item.TypePermission, "%s", s.Warning).Hint("leave out --require-sandbox to run with what there is")
	}
	return b.context.err
}

// enter makes the private folder of a run and changes the command so that rye starts, confines itself and becomes the
// program.
func (s *Sandbox) enter(p *Plan, spec *process.Spec) error {
	if s.binary == "" {
		return nil
	}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return item.Errorf(item.TypeUnavailable, "making a private folder for the run: %w", err)
	}
	self, err := process.Identify(os.Getpid())
	if err != nil {
		return item.Errorf(item.TypeInternal, "making a private folder for the run: %w", err)
	}
	sweep(s.folder, self)
	if s.private, err = os.MkdirTemp(s.folder, fmt.Sprintf(runFolder, self.PID, self.Start)); err != nil {
		return item.Errorf(item.TypeUnavailable, "making a private folder for the run: %w", err)
	}
	s.policy.Temp, s.policy.Report = filepath.Join(s.private, "tmp"), filepath.Join(s.private, "report")
	if err := errors.Join(os.Mkdir(s.policy.Temp, 0o700), os.WriteFile(s.policy.Report, nil, 0o600)); err != nil {
		return item.Errorf(item.TypeUnavailable, "making a private folder for the run: %w", err)
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		p.Env.set(name, s.policy.Temp, OriginRye)
	}
	policy, err := json.Marshal(s.policy)
	if err != nil {
		return fmt.Errorf("encoding the sandbox: %w", err)
	}
	spec.Env, spec.Path = p.Env.List(), s.binary
	spec.Argv = append([]string{s.binary, SandboxVerb, string(policy), "--"}, p.Argv...)
	return nil
}

// runFolder names a run's private folder after the process that will remove it.
const runFolder = "run-%d-%d-*"

// sweep removes the folders of processes that could not do so themselves because they were killed.
func sweep(folder string, self process.Identity) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		owner := process.Identity{Boot: self.Boot}
		if n, _ := fmt.Sscanf(entry.Name(), "run-%d-%d-", &owner.PID, &owner.Start); n == 2 && !owner.Alive() {
			os.RemoveAll(filepath.Join(folder, entry.Name()))
		}
	}
}

// settle reads how the confinement went. A run whose program was never started is an error, and so is one that cannot
// tell: rye writes the report before it becomes the program, which cannot reach it.
func (s *Sandbox) settle(result process.Result) error {
	if s.binary == "" {
		return nil
	}
	data, err := os.ReadFile(s.policy.Report)
	var report confine.Report
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &report)
	}
	s.Facts.Realised = append(s.Facts.Realised, report.Realised...)
	s.Facts.Skipped = append(s.Facts.Skipped, report.Skipped...)
	switch {
	case report.Error != "":
		return item.Errorf(item.TypePermission, "%s", report.Error).
			Hint("the path that a program needs can be declared: sandbox.fs.read")
	case result.TimedOut || result.Cancelled != nil:
		return nil
	case err != nil || len(data) == 0:
		return item.Errorf(item.TypePermission, "the sandbox was not set up: %s", strings.TrimSpace(item.CleanText(result.Stderr.String())))
	}
	return nil
}

// leave removes the run's private folder.
func (s *Sandbox) leave() {
	if s.private == "" || os.RemoveAll(s.private) == nil {
		return
	}
	openFolders(s.private) // a tool may have closed its own
	os.RemoveAll(s.private)
}

// openFolders makes folders writable, so that what is in them can be removed.
func openFolders(dir string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700) // WalkDir calls before it reads the folder
		}
		return nil
	})
}
