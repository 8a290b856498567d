//go:build linux

package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	_ "modernc.org/sqlite"

	"github.com/ryeos/rye/pkg/thread"
)

// fault says what is wrong with an answer: rye either does what it was asked for, or says clearly why not.
func (a answer) fault() string {
	said := a.stdout + a.stderr
	for _, sign := range []string{"panic:", "fatal error:", "goroutine ", "runtime error"} {
		if strings.Contains(said, sign) {
			return "it panicked"
		}
	}
	if a.code == 0 {
		return ""
	}
	var doc struct {
		ErrorType string `json:"error_type"`
		Results   []struct {
			ErrorType string `json:"error_type"`
		}
	}
	err := json.Unmarshal([]byte(a.stdout), &doc)
	for _, result := range doc.Results {
		doc.ErrorType = result.ErrorType
	}
	switch {
	case a.code < 0:
		return "a signal ended it"
	case a.code == 70 || doc.ErrorType == "internal":
		return "it calls that a bug of its own"
	case err != nil || doc.ErrorType == "":
		return "the error has no type"
	}
	return ""
}

var (
	fingerprint = regexp.MustCompile(`[0-9a-f]{16}`)
	signature   = regexp.MustCompile(`(?m)^.*rye:signed:.*\n`)
)

// contents are the sizes of files: that of a whole file and, of one that is signed, the size before it was.
type contents map[string][]int64

// files are those that must not be half written: all but the registry and the cache.
func (w *world) files() contents {
	sizes := contents{}
	for label, dir := range map[string]string{"home": w.home, "project": w.project} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			name, _ := filepath.Rel(dir, path)
			if name == ".cache" || name == filepath.Join(".ai", "state") {
				return fs.SkipDir
			}
			if data, err := os.ReadFile(path); err == nil && d.Type().IsRegular() {
				name = label + "/" + fingerprint.ReplaceAllString(name, "KEY")
				sizes[name] = []int64{int64(len(data)), int64(len(signature.ReplaceAll(data, nil)))}
			}
			return nil
		})
	}
	return sizes
}

// unwhole compares the files after a deed with those before it, and with those that it makes when nothing is in its way.
func unwhole(before, now, after contents) (bad []string) {
	for name, sizes := range now {
		if !slices.Contains(before[name], sizes[0]) && !slices.Contains(after[name], sizes[0]) {
			bad = append(bad, fmt.Sprintf("%s has %d bytes", name, sizes[0]))
		}
	}
	for name := range before {
		_, kept := after[name]
		if _, there := now[name]; kept && !there {
			bad = append(bad, name+" is gone")
		}
	}
	slices.Sort(bad)
	return bad
}

// integrity asks the registry whether it is whole; none is.
func (w *world) integrity() error {
	path := filepath.Join(w.registry(), thread.DatabaseName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	defer db.Close()
	var text string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&text); err != nil || text != "ok" {
		return fmt.Errorf("integrity_check of the registry: %s %v", text, err)
	}
	return nil
}
