package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// shapes are the ways in which a program can leave processes behind: a shell script that starts `linger FILE` in folder
// $0, and the files.
var shapes = map[string]struct {
	script  string
	files   []string
	session bool // in a session, and so a process group, of its own
	holds   bool // with the program's own output, which therefore does not end
}{
	"child":       {script: `exec linger "$0/child"`, files: []string{"child"}},
	"grandchild":  {script: `linger "$0/grandchild" & exec linger "$0/child"`, files: []string{"child", "grandchild"}},
	"session":     {script: `exec linger "$0/leader"`, files: []string{"leader"}, session: true},
	"double-fork": {script: `linger "$0/daemon" &`, files: []string{"daemon"}, session: true},
	"nohup":       {script: `nohup linger "$0/nohup" >/dev/null 2>&1 &`, files: []string{"nohup"}},
	"deaf":        {script: `exec linger "$0/deaf" deaf`, files: []string{"deaf"}},
	"open-pipe":   {script: `linger "$0/holder" &`, files: []string{"holder"}, holds: true},
}

// brood is a tool's program: brood SHAPE FOLDER END. When all processes of the shape have come up it makes FOLDER/ready; then
// it stays, or with END "leave" it ends before they do.
func brood() {
	shape, dir, end := shapes[os.Args[1]], os.Args[2], os.Args[3]
	note(filepath.Join(dir, "brood"), strconv.Itoa(os.Getpid()))
	cmd := exec.Command("sh", "-c", shape.script, dir)
	cmd.SysProcAttr = sessionAttr(shape.session)
	if shape.holds {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	for _, file := range shape.files {
		for !exists(filepath.Join(dir, file)) {
			time.Sleep(time.Millisecond)
		}
	}
	note(filepath.Join(dir, "ready"), "ready")
	if end != "leave" {
		time.Sleep(lifetime)
	}
}

// lifetime ends helpers that a failed test leaves behind.
const lifetime = 2 * time.Minute

// linger is a process that does not end by itself: linger FILE [deaf]. It writes its id to FILE. A deaf one ignores the
// signals that ask it to end.
func linger() {
	if len(os.Args) > 2 {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	note(os.Args[1], strconv.Itoa(os.Getpid()))
	time.Sleep(lifetime)
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

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// floodBlock is the size of one piece of what flood writes.
const floodBlock = 64 << 10

// flood writes a lot of output: flood BLOCKS [FILL]. Each block starts with its number; the rest is the letter FILL.
func flood() {
	blocks, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	fill := "x"
	if len(os.Args) > 2 {
		fill = os.Args[2]
	}
	for i := range blocks {
		if _, err := os.Stdout.Write(floodPiece(i, fill[0])); err != nil {
			os.Exit(1)
		}
	}
}

func floodPiece(number int, fill byte) []byte {
	piece := bytes.Repeat([]byte{fill}, floodBlock)
	copy(piece, "block "+strconv.Itoa(number)+"\n")
	return piece
}
