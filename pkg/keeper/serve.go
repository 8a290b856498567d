package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// drainTime is how long a keeper that leaves still lets in who had found its socket before that was removed.
const drainTime = 20 * time.Millisecond

// server is a keeper at work.
type server struct {
	order    *Order
	folder   *folder
	listener *net.UnixListener
	socket   os.FileInfo
	handle   Handler
	end      context.CancelFunc
	all      sync.WaitGroup // connections

	mu            sync.Mutex
	active, calls int
	since, last   time.Time
	asked         []*net.UnixConn // who wait for the end of the process, which closes them
}

// Serve listens until nobody was connected for as long as the order says, until somebody ends it, or until the context
// ends. It returns when every connection has been served, and removes no socket but its own.
func Serve(ctx context.Context, o *Order, handle Handler) error {
	f, err := openFolder(o.Dir)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, end := context.WithCancel(ctx)
	defer end()
	s := &server{order: o, folder: f, handle: handle, end: end, since: time.Now(), last: time.Now()}
	if err := s.listen(); err != nil {
		return err
	}
	defer s.listener.Close()
	s.all.Go(func() { s.accept(ctx) })
	if o.announce != nil {
		if err := o.announce(); err != nil {
			return errors.Join(err, s.leave(ctx, true))
		}
	}
	idle := time.NewTimer(o.Idle)
	defer idle.Stop()
	for {
		select {
		case <-ctx.Done():
			return s.leave(ctx, true)
		case <-idle.C:
		}
		rest := s.rest()
		if rest <= 0 && s.leave(ctx, false) == nil {
			return nil
		}
		idle.Reset(max(rest, time.Millisecond))
	}
}

// listen makes the socket. Whoever starts a keeper has removed an old one.
func (s *server) listen() error {
	path := s.folder.path(s.order.Key + socketEnd)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	s.listener = l
	if err = os.Chmod(path, 0o600); err == nil {
		s.socket, err = os.Lstat(path)
	}
	if err != nil {
		l.Close()
	}
	return err
}

// rest is how long the keeper stays if nothing happens.
func (s *server) rest() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active > 0 {
		return s.order.Idle
	}
	return time.Until(s.last.Add(s.order.Idle))
}

var errNeeded = errors.New("the keeper is needed")

// leave removes the socket, unless it is somebody else's by now, and serves who has come in before. Without need it is not
// left while somebody is connected.
func (s *server) leave(ctx context.Context, now bool) error {
	waiting, stop := context.WithTimeout(context.WithoutCancel(ctx), greetTime)
	defer stop()
	release, err := s.folder.lock(waiting)
	if err == nil {
		defer release()
	}
	if !now && (err != nil || s.rest() > 0) {
		return errNeeded
	}
	path := s.folder.path(s.order.Key + socketEnd)
	if info, err := os.Lstat(path); err == nil && os.SameFile(info, s.socket) {
		os.Remove(path)
	}
	s.listener.SetDeadline(time.Now().Add(drainTime))
	s.all.Wait()
	return nil
}

func (s *server) accept(ctx context.Context) {
	for {
		conn, err := s.listener.AcceptUnix()
		switch {
		case err == nil:
			s.all.Go(func() { s.serve(ctx, conn) })
		case errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
			return
		default: // too many open files: it passes
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func (s *server) serve(ctx context.Context, conn *net.UnixConn) {
	conn.SetDeadline(time.Now().Add(greetTime))
	verb := make([]byte, 1)
	if _, err := io.ReadFull(conn, verb); err != nil || checkPeer(conn, os.Geteuid()) != nil {
		conn.Close()
		return
	}
	if verb[0] == toEnd {
		s.mu.Lock()
		s.asked = append(s.asked, conn)
		s.mu.Unlock()
		conn.Write([]byte{greeting})
		s.end()
		return
	}
	defer conn.Close()
	if verb[0] == toTell {
		conn.Write([]byte{greeting})
		json.NewEncoder(conn).Encode(s.status())
		return
	}
	s.enter()
	defer s.exit()
	if _, err := conn.Write([]byte{greeting}); err == nil && conn.SetDeadline(time.Time{}) == nil {
		s.handle(ctx, conn)
	}
}

func (s *server) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active++
	s.calls++
}

func (s *server) exit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.last = time.Now()
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{
		Key: s.order.Key, Kind: s.order.Kind, Name: s.order.Name, Project: s.order.Project,
		PID: os.Getpid(), Since: s.since.UTC(), Calls: s.calls, Active: s.active,
	}
	if s.active == 0 {
		st.Idle = time.Since(s.last)
	}
	return st
}
