package runtime

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/process"
)

// versionManager is one of the family of version managers that put a shell script in front of each interpreter. The
// script costs far more time than the interpreter's start, and what it decides is written in a few small files.
type versionManager struct {
	shims    string // the end of the shims' folder
	variable string // names the version, beats the files
	file     string // in the project or a folder above it
}

// maxVersionFile bounds what is read of a version file, in bytes: it may come with a project.
const maxVersionFile = 4 << 10

var versionManagers = []versionManager{
	{".pyenv/shims", "PYENV_VERSION", ".python-version"},
	{".rbenv/shims", "RBENV_VERSION", ".ruby-version"},
	{".nodenv/shims", "NODENV_VERSION", ".node-version"},
	{".plenv/shims", "PLENV_VERSION", ".perl-version"},
	{".goenv/shims", "GOENV_VERSION", ".go-version"},
}

// behindShim gives the program that a version manager's shim would start in the project, by the rules that the
// managers share: their variable, the nearest version file, the global version. A shim that cannot be seen through
// is used as it is.
func (b *builder) behindShim(program string) string {
	for _, m := range versionManagers {
		dir := filepath.Dir(program)
		if !strings.HasSuffix(filepath.ToSlash(dir), m.shims) {
			continue
		}
		root := filepath.Dir(dir)
		for _, version := range m.versions(b.env.value(m.variable), b.in.Project, root) {
			if found := b.versionProgram(program, filepath.Join(root, "versions"), version); found != "" {
				return found
			}
		}
	}
	if strings.HasSuffix(filepath.ToSlash(filepath.Dir(program)), asdfShims) {
		return b.behindAsdf(program)
	}
	return program
}

// versions lists the chosen versions, most wanted first.
func (m versionManager) versions(chosen, project, root string) []string {
	if chosen != "" {
		return strings.Split(chosen, ":")
	}
	for text := range versionFiles(project, m.file) {
		if words := strings.Fields(text); len(words) > 0 {
			return words
		}
	}
	data, err := os.ReadFile(filepath.Join(root, "version"))
	if err != nil {
		return []string{"system"}
	}
	return strings.Fields(string(data))
}

// versionFiles gives the files of that name in the project and the folders above it, nearest first.
func versionFiles(project, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := project; ; dir = filepath.Dir(dir) {
			if file := filepath.Join(dir, name); isFile(file) { // a named pipe would wait for a writer
				if data, err := readStart(file, maxVersionFile); err == nil && !yield(string(data)) {
					return
				}
			}
			if dir == filepath.Dir(dir) {
				return
			}
		}
	}
}

// versionProgram finds the program that a shim stands for in one version. Version files come with projects: a name that
// is not a plain version could lead out of the manager's folder and is not followed.
func (b *builder) versionProgram(shim, versions, version string) string {
	name := filepath.Base(shim)
	if version == "system" {
		rest := slices.DeleteFunc(filepath.SplitList(b.env.value("PATH")), func(dir string) bool { return dir == filepath.Dir(shim) })
		found, _ := process.Lookup(name, strings.Join(rest, string(os.PathListSeparator)), b.inProject)
		return found
	}
	if strings.Trim(version, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-") != "" || strings.Trim(version, ".") == "" {
		return ""
	}
	program := filepath.Join(versions, version, "bin", name)
	if !isExecutable(program) {
		program = filepath.Join(versions, newest(versions, version+"."), "bin", name)
	}
	if isExecutable(program) {
		return program
	}
	return ""
}

// newest is the highest installed version that starts with prefix: "3.11." means the last 3.11 release.
func newest(versions, prefix string) string {
	entries, err := os.ReadDir(versions)
	if err != nil {
		return ""
	}
	best, bestPatch := "", -1
	for _, e := range entries {
		patch, err := strconv.Atoi(strings.TrimPrefix(e.Name(), prefix))
		if err == nil && strings.HasPrefix(e.Name(), prefix) && patch > bestPatch {
			best, bestPatch = e.Name(), patch
		}
	}
	return best
}

// Program finds an interpreter as a run in the project finds it: the file that PATH leads to, and the one that runs.
// The two differ when a version manager's shim was seen through.
func Program(name, project string, env []string) (found, runs string, err error) {
	in := Input{Project: project, Env: env, Chain: &chain.Chain{}}
	b := &builder{in: in, env: baseEnvironment(in)}
	found, err = process.Lookup(name, b.env.value("PATH"), b.inProject)
	if err != nil {
		return "", "", err
	}
	return found, b.behindShim(found), nil
}
