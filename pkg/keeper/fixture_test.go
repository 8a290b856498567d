//go:build linux || darwin

package keeper

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

// TestMain lets this program be a keeper.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keep" {
		if err := keep(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// keep serves a number that grows with each call, and its process. What it is told says how it behaves.
func keep() error {
	order, err := ReadOrder(os.Stdin)
	if err != nil {
		return err
	}
	if string(order.What) == `"fail"` {
		return fmt.Errorf("cannot find %s", "the thing")
	}
	count := 0
	return Serve(context.Background(), order, func(ctx context.Context, conn *net.UnixConn) {
		var way string
		fmt.Fscanln(conn, &way)
		switch way {
		case "wait": // until the other end leaves or the keeper ends
			stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Now()) })
			defer stop()
			fmt.Fprintln(conn, os.Getpid(), 0)
			conn.Read(make([]byte, 1))
		default:
			count++
			fmt.Fprintln(conn, os.Getpid(), count)
		}
	})
}

// world is a folder for keepers, which are gone when the test ends.
func world(t *testing.T) Options {
	t.Helper()
	dir, err := Folder("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key, err := Key(os.Args[0], t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, st := range List(context.Background(), dir) {
			if err := Stop(context.Background(), st); err != nil {
				t.Error(err)
			}
			if id, err := process.Identify(st.PID); err == nil && id.Alive() {
				t.Errorf("the keeper %d is still alive", st.PID)
			}
		}
	})
	return Options{
		Dir: dir, Key: key, Kind: "test", Name: t.Name(), Idle: time.Minute, What: []byte(`""`),
		Program: process.Program{Path: os.Args[0], Argv: []string{os.Args[0], "keep"}, Env: os.Environ()},
	}
}

// call connects, says how it wants to be served, and gives the keeper's process and count.
func call(t *testing.T, o Options, way string) (conn net.Conn, pid, count int) {
	t.Helper()
	conn, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	pid, count = ask(t, conn, way)
	return conn, pid, count
}

func ask(t *testing.T, conn net.Conn, way string) (pid, count int) {
	t.Helper()
	fmt.Fprintln(conn, way)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(strings.TrimSpace(line), " ")
	pid, _ = strconv.Atoi(first)
	count, _ = strconv.Atoi(second)
	return pid, count
}

func socketOf(o Options) string { return filepath.Join(o.Dir, o.Key+socketEnd) }

// gone waits until a process is over.
func gone(t *testing.T, pid int) {
	t.Helper()
	id, err := process.Identify(pid)
	if err != nil {
		return
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	if err := id.WaitGone(ctx); err != nil {
		t.Fatalf("the keeper %d has not ended: %v", pid, err)
	}
}

// stopped stops a process and waits until it is.
func stopped(t *testing.T, pid int) {
	t.Helper()
	syscall.Kill(pid, syscall.SIGSTOP)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
		if err != nil || strings.HasPrefix(string(state), "T") {
			return
		}
	}
	t.Fatalf("the process %d does not stop", pid)
}
