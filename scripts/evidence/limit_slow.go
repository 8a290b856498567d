//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// slowCases are the runs whose answers are read slowly.
var slowCases = []struct {
	name, format string
	exit         int // of the tool
	code         int // of rye
}{
	{"a tool that succeeds", "json", 0, 0},
	{"a tool that fails", "json", 3, 1},
	{"the bare output of a tool", "text", 0, 0},
}

func slowReader(b *binaries, kib int) (f finding) {
	speed := 1000
	if kib < 100 {
		speed = 2000
	}
	line := strings.Repeat("0123456789abcdef", 4)[:63] + "\n"
	want := strings.Repeat(line, kib<<10/len(line))
	w, err := b.withTools(map[string]string{"talk": "# CONFIG_SCHEMA = {\"type\": \"object\", \"properties\": {\"lines\": {\"type\": \"integer\"}, \"exit\": {\"type\": \"integer\"}}}\n" +
		"for ((i = 0; i < RYE_PARAM_LINES; i++)); do echo " + strings.TrimSpace(line) + "; done\nexit $RYE_PARAM_EXIT\n"})
	if err != nil {
		return failed(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, c := range slowCases {
		all.Go(func() {
			got, code, err := w.readSlowly(speed, "-o", c.format, "execute", "tool:talk", "--lines", strconv.Itoa(kib<<10/len(line)), "--exit", strconv.Itoa(c.exit))
			if err == nil && c.format == "json" {
				var doc struct{ Data struct{ Stdout string } }
				err = json.Unmarshal(got, &doc)
				got = []byte(doc.Data.Stdout)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil || string(got) != want || code != c.code {
				f.breakf("%s: exit %d, %d of %d bytes, %v", c.name, code, len(got), len(want), err)
			}
		})
	}
	all.Wait()
	f.measured = fmt.Sprintf("%d runs at the same time (success, failure, text): every document complete, exit codes %s", len(slowCases), "0, 1, 0")
	return f
}

// readSlowly reads so many bytes of rye's answer a second.
func (w *world) readSlowly(speed int, args ...string) ([]byte, int, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, 0, err
	}
	defer reader.Close()
	if _, err := unix.FcntlInt(writer.Fd(), syscall.F_SETPIPE_SZ, 4096); err != nil {
		return nil, 0, err
	}
	cmd := w.command(args...)
	cmd.Stdout = writer
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	writer.Close()
	var got bytes.Buffer
	tick := time.NewTicker(time.Second / 10)
	defer tick.Stop()
	for err == nil {
		<-tick.C
		_, err = io.CopyN(&got, reader, int64(speed/10))
	}
	if err != io.EOF {
		return got.Bytes(), 0, err
	}
	cmd.Wait()
	return got.Bytes(), cmd.ProcessState.ExitCode(), nil
}
