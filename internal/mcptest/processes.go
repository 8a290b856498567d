package mcptest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Noted is a shell script that runs the words after it, `sh` first, as a program, and notes the program's process id in the
// file that PIDFile names.
const Noted = `echo $$ >> "$` + PIDFile + `"; exec "$@"`

// Gone fails the test if a process of the file that PIDFile named is still alive. A zombie is not.
func Gone(t testing.TB, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("no server has noted its process: %v", err)
	}
	for field := range strings.FieldsSeq(string(data)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		if alive(pid) {
			t.Errorf("process %d of a server is still alive", pid)
		}
	}
}

func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil || process.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
