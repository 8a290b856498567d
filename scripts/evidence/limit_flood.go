//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func init() { helpers["flood"] = func(args []string) error { return writeFlood(os.Stdout, args[0]) } }

// writeFlood writes so many MiB of bytes of every value, no two of them the same.
func writeFlood(out io.Writer, mib string) error {
	count, err := strconv.Atoi(mib)
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(block)
	for i := range count {
		binary.BigEndian.PutUint64(block, uint64(i))
		if _, err := out.Write(block); err != nil {
			return err
		}
	}
	return nil
}

// digest is what a stream was, as far as limit bytes.
type digest struct {
	hash.Hash
	size, limit int64
}

func newDigest(limit int64) *digest { return &digest{Hash: sha256.New(), limit: limit} }

func (d *digest) Write(p []byte) (int, error) {
	if room := d.limit - d.size; room > 0 {
		d.Hash.Write(p[:min(int64(len(p)), room)])
	}
	d.size += int64(len(p))
	return len(p), nil
}

func (d *digest) text() string { return hex.EncodeToString(d.Sum(nil)) }

const (
	floodPeak  = 64 << 20 // design §10
	runnerPeak = 96 << 20 // it also looks for secrets in all of it, and records the result
	logLimit   = 1 << 30  // of each stream of a detached run
	unlimited  = 1 << 62
)

func flood(b *binaries, mib int) (f finding) {
	w, err := b.withTools(map[string]string{"flood": fmt.Sprintf("# CONFIG_SCHEMA = {\"type\": \"object\", \"properties\": {\"mib\": {\"type\": \"integer\"}}}\n"+
		"exec %s flood \"$RYE_PARAM_MIB\"\n", b.self)})
	if err != nil {
		return failed(err)
	}
	w.env = append(w.env, "SOME_API_KEY=to-be-looked-for-in-all-of-it")
	want := newDigest(unlimited)
	writeFlood(want, strconv.Itoa(mib))
	bare, _, err := drain(exec.Command(b.self, "flood", strconv.Itoa(mib)), want, &f)
	if err != nil {
		return failed(err)
	}
	through, peak, err := drain(w.command("-o", "text", "execute", "--timeout", "10h", "tool:flood", "--mib", strconv.Itoa(mib)), want, &f)
	if err != nil {
		return failed(err)
	}
	if peak > floodPeak {
		f.breakf("rye needed %d MiB", peak>>20)
	}
	f.measured = fmt.Sprintf("%d MiB with the right digest, peak memory of rye %d MiB, %.1f times the time of the tool writing to the same reader alone. ",
		mib, peak>>20, float64(through)/float64(bare))
	f.measured += floodLog(w, min(mib, 1+logLimit>>20), &f)
	return f
}

// drain reads all that a program writes, as fast as it can.
func drain(cmd *exec.Cmd, want *digest, f *finding) (took time.Duration, peak int64, err error) {
	got := newDigest(unlimited)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = got, &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	watched := make(chan int64)
	go func() { watched <- watchPeak(context.Background(), cmd.Process.Pid) }() // rusage would count this program's memory in
	peak = <-watched
	if err := cmd.Wait(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, &stderr)
	}
	if got.text() != want.text() {
		f.breakf("%s passed on %d bytes, digest %s; %d bytes, digest %s were written", filepath.Base(cmd.Path), got.size, got.text(), want.size, want.text())
	}
	return time.Since(began), peak, nil
}

// floodLog floods a detached run and compares its log.
func floodLog(w *world, mib int, f *finding) string {
	l, err := w.launch("--timeout", "10h", "tool:flood", "--mib", strconv.Itoa(mib))
	if err != nil {
		f.breakf("%v", err)
		return ""
	}
	ctx, stop := context.WithCancel(context.Background())
	peak := make(chan int64)
	go func() { peak <- watchPeak(ctx, l.PID) }()
	rows, err := w.settled(time.Hour, l.ID)
	stop()
	most := <-peak
	if err != nil || rows[0].Status != "completed" {
		f.breakf("the detached run: %v %v %s", rows, err, w.run("threads", "show", l.ID).stdout)
		return ""
	}
	if most > runnerPeak {
		f.breakf("the detached runner needed %d MiB", most>>20)
	}
	log, err := os.Open(filepath.Join(w.registry(), l.ID, "stdout.log"))
	if err != nil {
		f.breakf("%v", err)
		return ""
	}
	defer log.Close()
	want, got := newDigest(logLimit), newDigest(min(int64(mib)<<20, logLimit))
	writeFlood(want, strconv.Itoa(mib))
	notice := tailWriter{}
	io.Copy(io.MultiWriter(got, &notice), log)
	if got.text() != want.text() {
		f.breakf("the log of the detached run is not what was written: %d bytes, %d were written", got.size, want.size)
	}
	text := fmt.Sprintf("A detached run of %d MiB: ", mib)
	if cut := want.size > logLimit; cut != strings.Contains(string(notice), "the log of stdout ends here") {
		f.breakf("the log ends with %q", notice)
	} else if cut {
		text += "the log is exact up to its limit of 1 GiB and says that it ends there"
	} else {
		text += "the log is exact"
	}
	return text + fmt.Sprintf(", peak memory of the runner %d MiB", most>>20)
}

// tailWriter keeps the last bytes.
type tailWriter []byte

func (t *tailWriter) Write(p []byte) (int, error) {
	const most = 100
	*t = append(*t, p[max(0, len(p)-most):]...)
	*t = (*t)[max(0, len(*t)-most):]
	return len(p), nil
}

// watchPeak looks at the peak memory of a process until it has ended or ctx has.
func watchPeak(ctx context.Context, pid int) (peak int64) {
	for {
		now, err := memory(pid, "VmHWM")
		if err != nil {
			return peak
		}
		peak = max(peak, now)
		select {
		case <-ctx.Done():
			return peak
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// memory reads a line of /proc/PID/status, in bytes.
func memory(pid int, name string) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(data), "\n"+name+":")
	if !found {
		return 0, fmt.Errorf("process %d has no %s", pid, name)
	}
	var kib int64
	_, err = fmt.Sscan(rest, &kib)
	return kib << 10, err
}
