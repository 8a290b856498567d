//go:build linux || darwin

package runtime

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// maxMessage bounds a message, in bytes: the kernel allows a program 6 MiB of arguments and environment.
const maxMessage = 16 << 20

// maxFiles is how many descriptors come with a message: a program's standard streams, and the gate before which it waits.
const maxFiles = 4

// link carries messages, each with a length in front: between who runs a plan and who keeps its interpreter, and between
// that one and the interpreter, see warm.py. One goroutine receives; many may send.
type link struct {
	conn *net.UnixConn
	mu   sync.Mutex
}

// send sends a message of these parts, and descriptors with it.
func (l *link) send(parts []string, files ...*os.File) error {
	text := strings.Join(parts, "\x00")
	message := append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n, _, err := l.conn.WriteMsgUnix(message, rights, nil) // the descriptors arrive with the first byte
	if err == nil && n < len(message) {
		_, err = l.conn.Write(message[n:])
	}
	return err
}

// receive reads the next message and takes what descriptors come with it.
func (l *link) receive() (parts []string, files []*os.File, err error) {
	head, rights := make([]byte, 4), make([]byte, unix.CmsgSpace(maxFiles*4))
	n, got, _, _, err := l.conn.ReadMsgUnix(head, rights)
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err == nil {
		files, err = received(rights[:got])
	}
	if err == nil {
		_, err = io.ReadFull(l.conn, head[n:])
	}
	size := binary.BigEndian.Uint32(head)
	if err == nil && size > maxMessage {
		err = fmt.Errorf("a message of %d bytes is too long", size)
	}
	var text []byte
	if err == nil {
		text = make([]byte, size)
		_, err = io.ReadFull(l.conn, text)
	}
	if err != nil {
		closeAll(files)
		return nil, nil, err
	}
	return strings.Split(string(text), "\x00"), files, nil
}

func received(rights []byte) (files []*os.File, err error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, parseErr := unix.ParseUnixRights(&m)
		err = errors.Join(err, parseErr)
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "stream"))
		}
	}
	return files, err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
