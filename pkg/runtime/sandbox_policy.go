package runtime

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/confine"
	"github.com/ryeos/rye/pkg/item"
)

func (b *builder) declaredSandboxes() []*item.Sandbox {
	var declared []*item.Sandbox
	for _, e := range b.in.Chain.Elements {
		if e.Meta.Sandbox != nil {
			declared = append(declared, e.Meta.Sandbox)
		}
	}
	return declared
}

// policy is what all declarations allow together: an element can only narrow what the others say. Nothing that a caller
// says is in it.
func (b *builder) policy(p *Plan, s *Sandbox, declared []*item.Sandbox, wanted bool) confine.Policy {
	policy := confine.Policy{Net: network(declared, wanted)}
	read, limited := b.allowed(s, declared, func(d *item.Sandbox) []string { return d.Read })
	if !limited {
		read = b.defaultRead()
	}
	policy.Read = append(read, b.needs(p)...)
	policy.Write, _ = b.allowed(s, declared, func(d *item.Sandbox) []string { return d.Write })
	keys := []string{"config", "keys"}
	for _, base := range []string{b.in.Project, b.in.User} {
		folder := filepath.Join(base, ".ai")
		policy.Fixed = append(policy.Fixed, confine.RealPath(folder))
		policy.Hidden = append(policy.Hidden, confine.RealPath(filepath.Join(append([]string{folder}, keys...)...)))
	}
	policy.Hidden = append(policy.Hidden, s.folder) // where other runs keep what they do
	for _, path := range b.in.Sandbox.Hidden {
		policy.Hidden = append(policy.Hidden, confine.RealPath(path))
	}
	for _, path := range append(slices.Clone(b.in.Sandbox.Fixed), b.in.Cache, b.in.Binary) {
		policy.Fixed = append(policy.Fixed, confine.RealPath(path))
	}
	return policy
}

// network is allowed where no declaration forbids it, and for a caller who wants a sandbox only where one allows it.
func network(declared []*item.Sandbox, wanted bool) bool {
	allowed := !wanted
	for _, d := range declared {
		if d.Net == nil {
			continue
		}
		if !*d.Net {
			return false
		}
		allowed = true
	}
	return allowed
}

// allowed is what every declaration that has such a list allows; limited tells whether there is one.
func (b *builder) allowed(s *Sandbox, declared []*item.Sandbox, list func(*item.Sandbox) []string) (paths []string, limited bool) {
	for _, d := range declared {
		texts := list(d)
		if texts == nil {
			continue
		}
		var own []string
		for _, text := range texts {
			path, problem := b.sandboxPath(text)
			if problem != "" {
				s.Facts.Skipped = append(s.Facts.Skipped, text+": "+problem)
				continue
			}
			own = append(own, path)
		}
		if limited {
			own = common(paths, own)
		}
		paths, limited = own, true
	}
	return paths, limited
}

// common gives the paths that lie in both lists of trees.
func common(a, b []string) []string {
	var both []string
	for _, x := range a {
		for _, y := range b {
			switch {
			case confine.Inside(x, y):
				both = append(both, y)
			case confine.Inside(y, x):
				both = append(both, x)
			}
		}
	}
	return both
}

// sandboxPath makes a declared path absolute and real. One that is written as part of the project must be in it.
func (b *builder) sandboxPath(text string) (path, problem string) {
	path = b.context.text(text)
	inProject := !filepath.IsAbs(path)
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		path, inProject = filepath.Join(b.home(), rest), false
	}
	if inProject {
		path = filepath.Join(b.in.Project, path)
	}
	real, err := filepath.EvalSymlinks(path)
	switch {
	case err != nil:
		return "", "does not exist"
	case inProject && !confine.Inside(confine.RealPath(b.in.Project), real):
		return "", "leads out of the project"
	}
	return real, ""
}

func (b *builder) home() string {
	if home := b.env.caller["HOME"]; filepath.IsAbs(home) {
		return home
	}
	return b.in.User
}

// defaultRead is the project. A project that holds the home folder would open everything that a sandbox is for.
func (b *builder) defaultRead() []string {
	project := confine.RealPath(b.in.Project)
	for _, home := range []string{b.home(), b.in.User} {
		if confine.Inside(project, confine.RealPath(home)) {
			return nil
		}
	}
	return []string{project}
}

// needs are the places that the command itself comes from: items, rye and its cache, and the programs in PATH.
func (b *builder) needs(p *Plan) []string {
	var paths []string
	add := func(path string) {
		if confine.Readable(path) {
			return
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && !slices.Contains(paths, real) {
			paths = append(paths, real)
		}
	}
	for _, path := range []string{filepath.Join(b.in.Project, ".ai"), filepath.Join(b.in.User, ".ai"), b.in.Cache, b.in.Binary} {
		add(path)
	}
	real := confine.RealPath(p.Program)
	dirs := []string{filepath.Dir(p.Program), filepath.Dir(real)}
	for _, dir := range filepath.SplitList(b.env.value("PATH")) {
		if filepath.IsAbs(dir) && !b.inProject(dir) {
			dirs = append(dirs, dir)
		}
	}
	add(real)
	for _, dir := range dirs {
		if confine.Inside(dir, b.home()) {
			continue
		}
		add(dir)
		switch prefix := filepath.Dir(dir); filepath.Base(dir) {
		case "bin":
			for _, sibling := range []string{"lib", "lib64", "libexec", "include", "pyvenv.cfg"} {
				add(filepath.Join(prefix, sibling))
			}
		case "shims": // a version manager's, whose versions lie beside it
			if !confine.Inside(prefix, b.home()) {
				add(prefix)
			}
		}
	}
	return paths
}
