package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/owner"
	"github.com/ryeos/rye/pkg/space"
)

// checkSpaces says where items are looked for.
func (e *Engine) checkSpaces(context.Context) []Check {
	var checks []Check
	for _, s := range e.spaces {
		if s.Base == "" {
			continue
		}
		name := string(s.Label) + " space"
		info, err := os.Stat(s.Root())
		switch {
		case err == nil && info.IsDir():
			checks = append(checks, passed(name, "%s", s.Root()))
		case err == nil:
			checks = append(checks, broken(name, "ls -ld "+item.ShellWord(s.Root()), "%s is not a folder", s.Root()))
		case errors.Is(err, fs.ErrNotExist):
			c := noted(name, "no %s in %s", space.Dir, s.Base)
			if s.Label == space.Project {
				c.Fix = "rye init"
			}
			checks = append(checks, c)
		default:
			checks = append(checks, broken(name, "ls -ld "+item.ShellWord(s.Root()), "%v", err))
		}
	}
	return checks
}

// checkExposed looks at the folders whose files decide what runs. That of the key is refused at use as well.
func (e *Engine) checkExposed(context.Context) []Check {
	var checks []Check
	for _, s := range e.spaces {
		if s.Base == "" {
			continue
		}
		for _, dir := range []string{s.Base, s.Root(), filepath.Join(s.Root(), item.Tool.Dir()), filepath.Join(s.Root(), filepath.FromSlash(trustedDir))} {
			info, err := os.Stat(dir)
			if err != nil {
				continue
			}
			if x := owner.Exposed(info); x.Reason != "" {
				checks = append(checks, warned("permissions", x.Command+" "+item.ShellWord(dir), "%s %s", dir, x.Reason))
			}
		}
	}
	if len(checks) == 0 {
		return []Check{passed("permissions", "nobody else can write into the project's or the user's space")}
	}
	return checks
}

// checkCache looks at the folder of what can be made again.
func (e *Engine) checkCache(context.Context) []Check {
	const name = "cache"
	dir := e.options.Cache
	existing := nearestFolder(dir)
	if !writable(existing) {
		return []Check{broken(name, "chmod u+w "+item.ShellWord(existing), "%s cannot be written: system tools that are files do not run", existing)}
	}
	if existing != dir {
		return []Check{noted(name, "%s does not exist yet", dir)}
	}
	if info, err := os.Stat(dir); err == nil {
		if x := owner.Exposed(info); x.Reason != "" {
			return []Check{broken(name, x.Command+" "+item.ShellWord(dir), "%s %s", dir, x.Reason)}
		}
	}
	var parts []string
	for _, part := range []struct{ what, pattern string }{
		{"system items", "system-*"}, {"pinned copies", pinnedDir}, {"compiled Python", "pycache"}, {"search indexes", indexDir},
	} {
		matches, _ := filepath.Glob(filepath.Join(dir, part.pattern))
		files, bytes := 0, int64(0)
		for _, match := range matches {
			f, b := sizeOf(match)
			files, bytes = files+f, bytes+b
		}
		if files > 0 {
			parts = append(parts, fmt.Sprintf("%s %d files %d KiB", part.what, files, bytes>>10))
		}
	}
	c := passed(name, "%s: %s", dir, strings.Join(parts, ", "))
	if len(parts) == 0 {
		return []Check{passed(name, "%s: empty", dir)}
	}
	c.Fix = "rm -rf " + item.ShellWord(dir)
	return []Check{c}
}

// nearestFolder is the folder, or the nearest one above it that exists.
func nearestFolder(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// maxDoctorFiles bounds a walk through folders.
const maxDoctorFiles = 20000

func sizeOf(dir string) (files int, bytes int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if files == maxDoctorFiles {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return nil
	})
	return files, bytes
}

// checkDisk warns before signing and recording fail halfway.
func (e *Engine) checkDisk(context.Context) []Check {
	const little = 100 << 20
	var checks []Check
	for _, dir := range []string{e.options.Project, nearestFolder(e.options.Cache)} {
		if free, known := freeSpace(dir); known && free < little {
			checks = append(checks, warned("disk", "df -h "+item.ShellWord(dir), "%d MiB are free for %s", free>>20, dir))
		}
	}
	return checks
}

// temporary is how files are called while they are written: .greet.sh.dh4k2c9q1w0z, .new-123.
var temporary = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.(.+\.[0-9a-z]{11,13}|new-[0-9]+)$`) })

// checkLeftovers finds what signing left behind when it was killed. Younger files may still be in use.
func (e *Engine) checkLeftovers(context.Context) []Check {
	const age = time.Minute
	var left []string
	for _, s := range e.spaces {
		if s.Base == "" {
			continue
		}
		seen := 0
		filepath.WalkDir(s.Root(), func(file string, d fs.DirEntry, err error) error {
			if seen++; seen > maxDoctorFiles {
				return fs.SkipAll
			}
			if err != nil {
				return nil
			}
			if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".venv" || d.Name() == ".git" || d.Name() == "state") {
				return fs.SkipDir
			}
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() && temporary().MatchString(d.Name()) && time.Since(info.ModTime()) > age {
				left = append(left, item.ShellWord(file))
			}
			return nil
		})
	}
	if len(left) == 0 {
		return []Check{passed("leftovers", "none")}
	}
	return []Check{warned("leftovers", "rm "+strings.Join(left[:min(len(left), 20)], " "),
		"%d temporary files of an interrupted rye sign", len(left))}
}
