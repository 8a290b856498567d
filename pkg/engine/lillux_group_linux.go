package engine

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/ryeos/rye/pkg/process"
)

// groupAlive reports whether a process of the group runs. The kernel, asked with signal 0, would count zombies too.
func groupAlive(group int) bool {
	for _, pid := range processNumbers() {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			continue
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		const state, inGroup, threads = 0, 2, 17
		if len(fields) <= threads || string(fields[inGroup]) != strconv.Itoa(group) {
			continue
		}
		if string(fields[state]) != "Z" || string(fields[threads]) != "1" { // a first thread may end before the others
			return true
		}
	}
	return false
}

// tagOf is the tag under which LilluxSpawn has started the process, or "". What the process itself has started has
// the same tag; the oldest one stands for all of them.
func tagOf(id process.Identity) string {
	tag := runTag(strconv.Itoa(id.PID))
	if !strings.HasPrefix(tag, spawnTag) || strings.Contains(tag, "/") {
		return ""
	}
	for _, name := range processNumbers() {
		if runTag(name) != tag {
			continue
		}
		pid, _ := strconv.Atoi(name)
		other, err := process.Identify(pid)
		if err == nil && (other.Start < id.Start || other.Start == id.Start && pid < id.PID) {
			return ""
		}
	}
	return tag
}

// runTag is the RYE_RUN_ID in the environment that a process was started with.
func runTag(pid string) string {
	env, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if tag, ok := bytes.CutPrefix(entry, []byte("RYE_RUN_ID=")); ok {
			return string(tag)
		}
	}
	return ""
}

func processNumbers() []string {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var numbers []string
	for _, name := range names {
		if _, err := strconv.Atoi(name); err == nil {
			numbers = append(numbers, name)
		}
	}
	return numbers
}
