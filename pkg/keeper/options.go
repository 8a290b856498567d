package keeper

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

// ErrUnsupported is the error where there are no keepers: on this system, or in this process, which is confined.
var ErrUnsupported = errors.New("nothing is kept here")

// Options describe a keeper to who wants to reach it.
type Options struct {
	Dir string // the folder of the sockets: see Folder
	Key string // the name of what is kept: see Key

	Kind    string // what sort of thing is kept, for the keeper and for people: "mcp"
	Name    string // which one, for people
	Project string // for which project, for people

	Idle time.Duration // how long the keeper stays when nobody is connected

	// Program is what becomes the keeper, by ReadOrder and Serve. Its Tag and its Log are set by Dial.
	Program process.Program

	// What is for the Handler, and no less secret than an environment: it goes through a pipe, never to a disk or into a
	// list of arguments.
	What json.RawMessage
}

// Order is what a keeper is told on its standard input by who starts it.
type Order struct {
	Dir, Key, Kind, Name, Project string

	Idle time.Duration
	What json.RawMessage

	announce func() error // tells who waits for it that the keeper can be reached
}

// Handler serves one connection, and returns when the connection or the context ends. The connection is closed for it.
// Connections are served at the same time.
type Handler func(ctx context.Context, conn *net.UnixConn)

// maxOrder bounds what a keeper reads, in bytes.
const maxOrder = 64 << 20

func (o *Options) order() ([]byte, error) {
	return json.Marshal(Order{
		Dir: o.Dir, Key: o.Key, Kind: o.Kind, Name: o.Name, Project: o.Project, Idle: o.Idle, What: o.What,
	})
}

// ReadOrder is the first thing that a keeper does.
func ReadOrder(stdin io.Reader) (*Order, error) {
	o := &Order{announce: announce}
	data, err := io.ReadAll(io.LimitReader(stdin, maxOrder))
	if err == nil {
		err = json.Unmarshal(data, o)
	}
	if err == nil && (o.Dir == "" || checkKey(o.Key) != nil || o.Idle <= 0) {
		err = errors.New("it is not complete")
	}
	if err != nil {
		return nil, fmt.Errorf("the keeper does not understand what it is told: %w", err)
	}
	return o, nil
}

// Key names a kept thing by everything that it is started with. Another build of rye, which binary is, has other keys, and
// so has a process with other rights, so that nobody gets rights from a keeper that he has not.
func Key(binary string, parts ...string) (string, error) {
	info, err := os.Stat(binary)
	if err != nil {
		return "", err
	}
	build := fmt.Sprint(binary, " ", info.Size(), " ", info.ModTime().UnixNano())
	hash := sha256.New()
	for _, part := range append([]string{"rye-keeper-v1", build, rights()}, parts...) {
		hash.Write(lengthOf(part))
		io.WriteString(hash, part)
	}
	return hex.EncodeToString(hash.Sum(nil)[:keyBytes]), nil
}

func lengthOf(part string) []byte { return binary.BigEndian.AppendUint64(nil, uint64(len(part))) }

const keyBytes = 16

// checkKey keeps a key from being a path.
func checkKey(key string) error {
	if data, err := hex.DecodeString(key); err != nil || len(data) != keyBytes {
		return fmt.Errorf("%q is no key of a keeper", key)
	}
	return nil
}

// tagOf is the tag of a keeper's process, by which what it leaves behind is found when it was killed.
func tagOf(key string) string { return "keeper-" + key }
