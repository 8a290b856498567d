package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// linger is the program of a process that does not end by itself: linger FILE [deaf]. It writes its id to FILE. A deaf one
// ignores what a polite end is asked with.
func linger() {
	if len(os.Args) > 2 && os.Args[2] == "deaf" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	note(os.Args[1], strconv.Itoa(os.Getpid()))
	time.Sleep(2 * time.Minute) // so that a failed test leaves nothing for ever
}

// note makes a file with its whole content at once.
func note(file, content string) {
	if err := os.WriteFile(file+".part", []byte(content+"\n"), 0o644); err != nil {
		panic(err)
	}
	if err := os.Rename(file+".part", file); err != nil {
		panic(err)
	}
}

// shapes are the ways in which a program can try to leave a process behind. Each gives the files that the processes write
// their ids to.
var shapes = map[string]func(dir string) []string{
	"child": func(dir string) []string {
		return start(exec.Command("linger", filepath.Join(dir, "child")))
	},
	"grandchild": func(dir string) []string {
		child, grandchild := filepath.Join(dir, "child"), filepath.Join(dir, "grandchild")
		start(exec.Command("sh", "-c", `linger "$1" & exec linger "$0"`, child, grandchild))
		return []string{child, grandchild}
	},
	"setsid": func(dir string) []string {
		cmd := exec.Command("linger", filepath.Join(dir, "session"))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return start(cmd)
	},
	"double-fork": func(dir string) []string {
		cmd := exec.Command("sh", "-c", `linger "$0" & exit`, filepath.Join(dir, "daemon"))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return start(cmd)[1:]
	},
	"nohup": func(dir string) []string {
		return start(exec.Command("sh", "-c", `nohup linger "$0" >/dev/null 2>&1 &`, filepath.Join(dir, "nohup")))[1:]
	},
	"deaf": func(dir string) []string {
		return start(exec.Command("linger", filepath.Join(dir, "deaf"), "deaf"))
	},
	"pipe": func(dir string) []string {
		cmd := exec.Command("sh", "-c", `linger "$0" &`, filepath.Join(dir, "holder"))
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return start(cmd)[1:]
	},
}
