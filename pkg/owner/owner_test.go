//go:build unix

package owner

import (
	"io/fs"
	"syscall"
	"testing"
	"time"
)

// fakeInfo is a file of any owner, which only root could make.
type fakeInfo struct {
	mode fs.FileMode
	uid  int
}

func (f fakeInfo) Name() string       { return "file" }
func (f fakeInfo) Size() int64        { return 0 }
func (f fakeInfo) Mode() fs.FileMode  { return f.mode }
func (f fakeInfo) ModTime() time.Time { return time.Time{} }
func (f fakeInfo) IsDir() bool        { return f.mode.IsDir() }
func (f fakeInfo) Sys() any           { return &syscall.Stat_t{Uid: uint32(f.uid)} }

func TestExposed(t *testing.T) {
	const root, ann, bob = 0, 1000, 1001
	for name, c := range map[string]struct {
		info fakeInfo
		me   int
		want string
	}{
		"mine":                     {fakeInfo{0o644, ann}, ann, ""},
		"my group's":               {fakeInfo{0o664, ann}, ann, ""},
		"root's":                   {fakeInfo{0o644, root}, ann, ""},
		"another user's":           {fakeInfo{0o600, bob}, ann, `sudo chown "$(id -u)"`},
		"a user's, seen by root":   {fakeInfo{0o644, bob}, root, ""},
		"a file for everybody":     {fakeInfo{0o666, ann}, ann, "chmod o-w"},
		"the same, seen by root":   {fakeInfo{0o666, ann}, root, "chmod o-w"},
		"a sticky file":            {fakeInfo{0o666 | fs.ModeSticky, ann}, ann, "chmod o-w"},
		"a folder for everybody":   {fakeInfo{0o777 | fs.ModeDir, ann}, ann, "chmod o-w"},
		"a sticky folder like tmp": {fakeInfo{0o777 | fs.ModeDir | fs.ModeSticky, root}, ann, ""},
	} {
		if got := exposed(c.info, c.me).Command; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
