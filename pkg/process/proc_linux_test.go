package process

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

func statLine(name string, end string) string {
	return fmt.Sprintf("42 (%s) S 7 41 40 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 %s", name, end)
}

func TestParseStat(t *testing.T) {
	end := strings.Repeat("1 ", 30)
	want := proc{pid: 42, ppid: 7, group: 41, session: 40, start: 987654, state: 'S', threads: 1, hasEnv: true}
	for _, name := range []string{"sh", "", "a b", ") S 1 1 1", "((", "a\nb", "\xff)"} {
		if got, err := parseStat([]byte(statLine(name, end))); err != nil || got != want {
			t.Errorf("name %q: got %+v, %v", name, got, err)
		}
	}
	for _, bad := range []string{"", "42", "42 (sh", "42 )(", "42 (sh) S", "x (sh) S " + strings.Repeat("1 ", 40),
		"42 (sh) S 1 1 1 " + strings.Repeat("x ", 40)} {
		if got, err := parseStat([]byte(bad)); !errors.Is(err, errStat) {
			t.Errorf("%q: got %+v, %v", bad, got, err)
		}
	}
}

// FuzzParseStat: a program chooses its own name, so no name may change what is read of the other fields.
func FuzzParseStat(f *testing.F) {
	f.Add("sh")
	f.Add(") Z 1 1 1 (")
	f.Add("))))")
	f.Fuzz(func(t *testing.T, name string) {
		parseStat([]byte(name))
		p, err := parseStat([]byte(statLine(name, "")))
		if err != nil || p.pid != 42 || p.session != 40 || p.start != 987654 || p.state != 'S' {
			t.Fatalf("name %q: %+v, %v", name, p, err)
		}
	})
}

func TestChildren(t *testing.T) {
	h := startHelper(t, "sleeper", "one")
	for name, list := range map[string]func(int) []int{"children": children, "childrenByParent": childrenByParent} {
		if got := list(os.Getpid()); !slices.Contains(got, h.Process.Pid) {
			t.Errorf("%s: %d is not in %v", name, h.Process.Pid, got)
		}
	}
}

func TestIdentity(t *testing.T) {
	h := startHelper(t, "sleeper", "one")
	id, err := Identify(h.Process.Pid)
	if err != nil || !id.Alive() {
		t.Fatalf("%+v, alive %v, %v", id, id.Alive(), err)
	}
	for name, other := range map[string]Identity{
		"start": {id.PID, id.Start + 1, id.Boot},
		"boot":  {id.PID, id.Start, "another"},
		"none":  {},
	} {
		if other.Alive() {
			t.Errorf("alive with another %s: %+v", name, other)
		}
	}
	if err := h.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the zombie counts as dead", func() bool { return !id.Alive() })
	h.Wait()
	if id.Alive() {
		t.Error("alive after the wait")
	}
	for _, pid := range []int{0, -1, math.MaxInt32} {
		if _, err := Identify(pid); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Identify(%d): %v", pid, err)
		}
	}
}

// signal must not reach whoever has the number when the start time says it is somebody else.
func TestSignalChecksIdentity(t *testing.T) {
	h := startHelper(t, "sleeper", "one")
	p, err := readProc(h.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	stale := p
	stale.start--
	if err := stale.signal(9, nil); err == nil {
		t.Error("signalled a process with another start time")
	}
	if err := p.signal(9, func(proc) bool { return false }); err == nil {
		t.Error("signalled a process that was not the one asked for")
	}
	if q, err := readProc(p.pid); err != nil || q.dead() {
		t.Fatalf("it is gone: %+v, %v", q, err)
	}
	if err := p.signal(9, nil); err != nil {
		t.Error(err)
	}
	h.Wait()
}
