//go:build linux

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

const (
	soakEngineRate = 4 // runs a second in the process with the engine; another one is the command line's
	soakSamples    = 40
)

// soakTool says its mark, and then ends as it is told.
const soakTool = `# CONFIG_SCHEMA = {"type": "object", "properties": {"mark": {"type": "string"}, "end": {"type": "string"}}}
echo "$RYE_PARAM_MARK"
case $RYE_PARAM_END in fail) exit 3;; stay) sleep 1000;; esac
`

// soakState is what a long-living process and its surroundings have at a moment.
type soakState struct {
	Runs       int   `json:"runs"`
	Memory     int64 `json:"memory"`
	Files      int64 `json:"descriptors"`
	Goroutines int64 `json:"goroutines"`
	Zombies    int64 `json:"zombies"`
	Cache      int64 `json:"cache"`
	Registry   int64 `json:"registry"`
}

// soakReport is what the long-living process says at its end.
type soakReport struct {
	Samples  []soakState    `json:"samples"`
	Runs     int            `json:"runs"`
	Detached int            `json:"detached"`
	Outcomes map[string]int `json:"outcomes"`
	Broken   []string       `json:"broken"`
}

// soakRun is one run: detached or not, and with one of three ends.
type soakRun struct {
	mark, end string
	want      item.ErrorType
	detached  bool
}

func soakPlan(i int) soakRun {
	r := soakRun{mark: fmt.Sprintf("mark-%d-", i), detached: i%2 == 1}
	switch i % 9 {
	case 3, 4:
		r.end, r.want = "fail", item.TypeFailed
	case 6, 7:
		r.end, r.want = "stay", item.TypeInterrupted
	}
	return r
}

// count adds a run that has ended.
func (s *soakReport) count(r soakRun, got *item.Response, err error) {
	s.Runs++
	if r.detached {
		s.Detached++
	}
	if err != nil || got == nil {
		s.Broken = append(s.Broken, fmt.Sprintf("run %+v: %v", r, err))
		return
	}
	s.Outcomes[string(cmp.Or(got.ErrorType, "completed"))]++
	if data, _ := json.Marshal(got); got.ErrorType != r.want || !strings.Contains(string(data), r.mark) {
		s.Broken = append(s.Broken, fmt.Sprintf("run %+v: %.500s", r, data))
	}
}

func soak(b *binaries, seconds int) (f finding) {
	w, err := b.withTools(map[string]string{"soak": soakTool})
	if err != nil {
		return failed(err)
	}
	temp := filepath.Join(w.home, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		return failed(err)
	}
	w.env = append(w.env, "TMPDIR="+temp)
	cmd := w.command("soak", strconv.Itoa(seconds), w.rye)
	cmd.Path, cmd.Args[0] = b.self, b.self
	beside := make(chan soakReport)
	go func() { beside <- w.soakBeside(seconds) }()
	var r soakReport
	err = await(cmd).decode(&r)
	other := <-beside
	if err != nil {
		return failed(err)
	}
	f.broken = slices.Concat(r.Broken, other.Broken)
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		f.breakf("in the folder for temporary files is left: %v %v", left, err)
	}
	if left := processes(w.project); len(left) > 0 {
		f.breakf("processes are left: %v", left)
	}
	r.judge(&f)
	f.measured = other.summary("command line") + r.summary("engine") + f.measured
	return f
}

// soakSeries are the numbers that must not grow, with the growth from the second quarter of the time to the last that
// counts as none: what a garbage collector and a few runs more or less at the same moment make of them.
var soakSeries = []struct {
	name   string
	value  func(soakState) int64
	unit   int64
	factor float64
	more   int64
}{
	{"resident memory (MiB)", func(s soakState) int64 { return s.Memory }, 1 << 20, 1.1, 8 << 20},
	{"descriptors", func(s soakState) int64 { return s.Files }, 1, 1.1, 8},
	{"goroutines", func(s soakState) int64 { return s.Goroutines }, 1, 1.1, 8},
	{"cache (KiB)", func(s soakState) int64 { return s.Cache }, 1 << 10, 1, 0},
}

// judge compares quarters of the time.
func (r *soakReport) judge(f *finding) {
	n := len(r.Samples)
	if n < 8 {
		f.breakf("only %d samples", n)
		return
	}
	first, last := r.Samples[0], r.Samples[n-1]
	f.measured = "of the process with the engine, at the start, in the second and in the last quarter"
	for _, s := range soakSeries {
		before, after := median(r.Samples[n/4:n/2], s.value), median(r.Samples[n*3/4:], s.value)
		if float64(after) > float64(before)*s.factor+float64(s.more) {
			f.breakf("%s grew from %d in the second quarter to %d in the last", s.name, before/s.unit, after/s.unit)
		}
		f.measured += fmt.Sprintf("; %s %d, %d, %d", s.name,
			s.value(first)/s.unit, before/s.unit, after/s.unit)
	}
	if last.Zombies > 0 {
		f.breakf("%d zombies", last.Zombies)
	}
	f.measured += fmt.Sprintf("; at the end %d zombies, 0 temporary files", last.Zombies)
	f.measured += fmt.Sprintf("; the registry's file grew by %d bytes for each detached run", (last.Registry-first.Registry)/int64(max(1, r.Detached)))
}

// summary says how many runs ended how.
func (s *soakReport) summary(where string) string {
	text := fmt.Sprintf("%s: %d runs, %d detached", where, s.Runs, s.Detached)
	for _, outcome := range slices.Sorted(maps.Keys(s.Outcomes)) {
		text += fmt.Sprintf(", %d %s", s.Outcomes[outcome], outcome)
	}
	return text + "; "
}

func median(samples []soakState, value func(soakState) int64) int64 {
	var values []int64
	for _, s := range samples {
		values = append(values, value(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
