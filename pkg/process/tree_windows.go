package process

import (
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// killTime bounds the wait for the end of killed processes.
const killTime = 5 * time.Second

// BecomeReaper does nothing on Windows: there a job object holds everything that a program starts.
func BecomeReaper() error { return nil }

// tree is a program that runs and the job object that holds it and everything it starts. What the program starts in the
// moment before it is put into the job is not in it.
type tree struct {
	pid     int
	process *os.Process
	job     windows.Handle
	exited  chan struct{}
	state   *os.ProcessState // after exited
}

func startTree(spec *Spec, files [3]*os.File) (*tree, error) {
	job, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("cannot make a job object: %w", err)
	}
	p, err := os.StartProcess(spec.Path, spec.Argv, &os.ProcAttr{
		Dir:   spec.Dir,
		Env:   taggedEnv(spec.Env, newTag(ownTag)),
		Files: files[:],
		Sys:   &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP},
	})
	if err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	var assignErr error
	if err := p.WithHandle(func(handle uintptr) {
		assignErr = windows.AssignProcessToJobObject(job, windows.Handle(handle))
	}); err != nil {
		assignErr = err
	}
	t := &tree{pid: p.Pid, process: p, job: job, exited: make(chan struct{})}
	go func() {
		defer close(t.exited)
		t.state, _ = p.Wait()
	}()
	if assignErr == nil {
		return t, nil
	}
	select {
	case <-t.exited: // it was over before it could be put into the job
		return t, nil
	case <-time.After(100 * time.Millisecond): // it could leave processes behind that nobody ends
		p.Kill()
		windows.CloseHandle(job)
		return nil, fmt.Errorf("cannot put it into a job object: %w", assignErr)
	}
}

// newJob makes a job object whose processes die when its last handle is closed, also by the death of this process.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// Terminate sends the group a Ctrl-Break, the nearest thing to SIGTERM, which reaches only console programs.
func (t *tree) Terminate(grace time.Duration) {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.pid)) != nil {
		return
	}
	deadline := time.Now().Add(grace)
	for t.running() > 0 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
}

// jobAccounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type jobAccounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	pageFaults, total, active, terminated                  uint32
}

// running counts the processes in the job that have not ended.
func (t *tree) running() int {
	var info jobAccounting
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	if err != nil {
		return 0
	}
	return int(info.active)
}

// End kills what is left in the job. What the leader used is reported without its children.
func (t *tree) End(cut bool, held func() bool) Ending {
	defer windows.CloseHandle(t.job)
	left := t.running()
	if cut && left > 0 && t.alive() {
		left-- // the leader
	}
	windows.TerminateJobObject(t.job, 1)
	deadline := time.Now().Add(killTime)
	for (t.running() > 0 || t.alive()) && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	e := Ending{ExitCode: -1, Killed: left, Survivors: min(left, t.running())}
	if !t.alive() && t.state != nil {
		e.ExitCode, e.UserTime, e.SystemTime = t.state.ExitCode(), t.state.UserTime(), t.state.SystemTime()
	}
	return e
}

func (t *tree) alive() bool {
	select {
	case <-t.exited:
		return false
	default:
		return true
	}
}

// open is not known on Windows, and need not be: the job knows what is left.
func (p *pipes) open() bool { return false }
