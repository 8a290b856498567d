package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

// Status is what a keeper says of itself.
type Status struct {
	Key     string
	Kind    string
	Name    string
	Project string
	PID     int
	Since   time.Time
	Calls   int           // connections that it has served or serves
	Active  int           // those that it serves now
	Idle    time.Duration // since the last one ended; 0 while there is one

	Stuck bool // it does not answer, and nothing but Key and PID is known

	dir string
}

// List asks the keepers of some folders what they do, and gives them by name. A folder that is not there or not the user's
// alone has none.
func List(ctx context.Context, dirs ...string) []Status {
	var mu sync.Mutex
	var all []Status
	var asked sync.WaitGroup
	for _, dir := range dirs {
		f, err := openFolder(dir)
		if err != nil {
			continue
		}
		defer f.Close()
		names, _ := f.Readdirnames(-1)
		for _, name := range names {
			key, isSocket := strings.CutSuffix(name, socketEnd)
			if !isSocket || checkKey(key) != nil {
				continue
			}
			asked.Go(func() {
				if st, ok := f.ask(ctx, key); ok {
					mu.Lock()
					defer mu.Unlock()
					all = append(all, st)
				}
			})
		}
	}
	asked.Wait()
	slices.SortFunc(all, func(a, b Status) int {
		return strings.Compare(a.Kind+"\x00"+a.Name+"\x00"+a.Project+"\x00"+a.Key, b.Kind+"\x00"+b.Name+"\x00"+b.Project+"\x00"+b.Key)
	})
	return all
}

// ask is false if there is no keeper behind the socket.
func (f *folder) ask(ctx context.Context, key string) (st Status, ok bool) {
	conn, err := f.dial(ctx, key, toTell)
	if errors.Is(err, errAbsent) {
		return st, false
	}
	if err == nil {
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(greetTime))
		err = json.NewDecoder(io.LimitReader(conn, 1<<20)).Decode(&st)
	}
	if err != nil {
		st = Status{Stuck: true, PID: f.listener(ctx, key)}
		ok = st.PID != 0
	} else {
		ok = st.Key == key
	}
	st.Key, st.dir = key, f.dir
	return st, ok
}

// listener is the process that has made a socket, 0 if that cannot be known or it belongs to another user.
func (f *folder) listener(ctx context.Context, key string) int {
	if _, err := f.socket(key); err != nil {
		return 0
	}
	conn, err := f.connect(ctx, key)
	if err != nil {
		return 0
	}
	defer conn.Close()
	uid, pid, err := peerOf(conn)
	if err != nil || uid != os.Geteuid() {
		return 0
	}
	return pid
}

// endTime is how long a keeper has to end what it keeps.
const endTime = 10 * time.Second

// Stop ends a keeper and what it keeps: it is asked to, and killed if it does not end.
func Stop(ctx context.Context, st Status) error {
	f, err := openFolder(st.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	conn, err := f.dial(ctx, st.Key, toEnd)
	switch {
	case errors.Is(err, errAbsent):
		return nil
	case err == nil:
		defer conn.Close()
		if awaitEnd(ctx, conn) == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return f.kill(ctx, st.Key)
}

// awaitEnd waits until the process is over.
func awaitEnd(ctx context.Context, conn *net.UnixConn) error {
	_, pid, err := peerOf(conn)
	if err != nil {
		return err
	}
	id, err := process.Identify(pid)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, endTime)
	defer stop()
	return id.WaitGone(ctx)
}

// kill ends a keeper that does not listen. Its children die with it, or are found by its tag.
func (f *folder) kill(ctx context.Context, key string) error {
	release, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if pid := f.listener(ctx, key); pid != 0 {
		id, err := process.Identify(pid)
		if err == nil && f.listener(ctx, key) == pid { // who listens there still is who was identified
			err = id.Kill()
		}
		if err == nil {
			err = id.WaitGone(ctx)
		}
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
	}
	return f.clear(key)
}
