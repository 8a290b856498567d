package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// proc is what /proc/<pid>/stat says about who a process is and where it belongs. A number alone names nobody: it is
// given again. The number together with the start time does.
type proc struct {
	pid, ppid, group, session int
	start                     uint64 // clock ticks after boot
	state                     byte
	threads                   int
	hasEnv                    bool // false while an exec has not set up the new memory, and where we may not look
}

// dead: a zombie runs no more, it only waits for its parent. But the state is that of the first thread: as long as other
// threads are left, the process lives.
func (p proc) dead() bool { return (p.state == 'Z' || p.state == 'X') && p.threads <= 1 }

// procMounted is false where /proc is missing or shows another pid namespace; then only the group can be dealt with.
var procMounted = sync.OnceValue(func() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
})

func readProc(pid int) (proc, error) {
	var buf [1024]byte
	data, err := readInto("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
	if err != nil {
		return proc{}, err
	}
	return parseStat(data)
}

var errStat = errors.New("malformed /proc stat line")

// parseStat reads a stat line. The second field is the program's name in parentheses, which may hold anything, also
// spaces and parentheses; the fields after the last parenthesis are numbers, but for the state.
func parseStat(line []byte) (proc, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return proc{}, errStat
	}
	fields := bytes.Fields(line[end+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return proc{}, errStat
	}
	var err error
	number := func(p []byte) int {
		n, e := strconv.Atoi(string(p))
		err = errors.Join(err, e)
		return n
	}
	p := proc{
		pid: number(bytes.TrimSpace(line[:open])), state: fields[0][0],
		ppid: number(fields[1]), group: number(fields[2]), session: number(fields[3]),
		threads: number(fields[17]),
	}
	start, startErr := strconv.ParseUint(string(fields[19]), 10, 64)
	if err = errors.Join(err, startErr); err != nil {
		return proc{}, fmt.Errorf("%w: %w", errStat, err)
	}
	p.start = start
	p.hasEnv = len(fields) > 48 && string(fields[48]) != "0"
	return p, nil
}

// readInto reads a small file of /proc, as much of it as buf holds. It is for paths that matter in speed: an os.File would
// be offered to the poller first.
func readInto(path string, buf []byte) ([]byte, error) {
	fd, err := openProc(path)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n := 0
	for n < len(buf) {
		got, err := unix.Read(fd, buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}
		if got == 0 {
			break
		}
		n += got
	}
	return buf[:n], nil
}

func openProc(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: path, Err: err}
		}
		return fd, nil
	}
}

// marks is what the environment of a process tells about where it comes from.
type marks struct {
	tag      string // the run, or ""
	detached bool
}

// marks are those of p. unsettled means that p is in the middle of an exec and must be asked again. A program that has
// overwritten or cleared its environment has none.
func (p proc) marks() (m marks, unsettled bool) {
	env, err := p.environ()
	if err != nil {
		return marks{}, false
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		key, value, _ := bytes.Cut(entry, []byte{'='})
		switch string(key) {
		case tagKey:
			m.tag = string(value)
		case detachedKey:
			m.detached = true
		}
	}
	return m, len(env) == 0 && !p.hasEnv && !p.dead()
}

func (p proc) environ() (env []byte, err error) {
	dir := "/proc/" + strconv.Itoa(p.pid)
	if p.state != 'Z' || p.dead() {
		return readAll(dir + "/environ")
	}
	for _, tid := range numbers(dir + "/task") { // the first thread has ended and has no memory any more, but others have
		env, err = readAll(dir + "/task/" + strconv.Itoa(tid) + "/environ")
		if len(env) > 0 {
			break
		}
	}
	return env, err
}

// processes lists the numbers of all processes that /proc shows.
func processes() []int { return numbers("/proc") }

// numbers lists the entries of a directory of /proc that are numbers.
func numbers(dir string) []int {
	fd, err := openProc(dir)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var found []int
	var names []string
	buf := make([]byte, 8<<10)
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return found
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names[:0])
		for _, name := range names {
			if id, err := strconv.Atoi(name); err == nil {
				found = append(found, id)
			}
		}
	}
}

// children lists the children of a process. Kernels without /proc/<pid>/task/<tid>/children make it ask every process.
func children(pid int) []int {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	var found []int
	for _, tid := range numbers(tasks) {
		list, err := readAll(tasks + "/" + strconv.Itoa(tid) + "/children")
		if errors.Is(err, os.ErrNotExist) && !haveChildrenFile() {
			return childrenByParent(pid)
		}
		for field := range bytes.FieldsSeq(list) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

var haveChildrenFile = sync.OnceValue(func() bool {
	_, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children")
	return err == nil
})

func childrenByParent(pid int) []int {
	var found []int
	for _, id := range processes() {
		if p, err := readProc(id); err == nil && p.ppid == pid {
			found = append(found, id)
		}
	}
	return found
}

// maxRead bounds what is read of one file; the kernel allows an exec 6 MiB of arguments and environment.
const maxRead = 8 << 20

// readAll reads a file of /proc of any length up to maxRead.
func readAll(path string) ([]byte, error) {
	for size := 4 << 10; ; size *= 16 {
		data, err := readInto(path, make([]byte, size))
		if err != nil || len(data) < size || size >= maxRead {
			return data, err
		}
	}
}
