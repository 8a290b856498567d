package keeper

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/ryeos/rye/pkg/process"
)

const (
	startTime = 10 * time.Second // for a keeper to be there, started or not
	greetTime = 3 * time.Second  // for a keeper that is there to say that it listens
)

// The first byte of a connection says what it is for.
const (
	toServe = 'c'
	toTell  = 's' // what the keeper does
	toEnd   = 'e'

	greeting = 'k' // the answer: only from here on can anything be taken for received
)

// errAbsent is wrapped by the errors that mean that there is no keeper, or none any more.
var errAbsent = errors.New("there is no keeper")

// Dial connects to the keeper and starts it if there is none: one, also when many want it at the same moment. Nothing has
// been done when it fails, so the caller can do without.
func Dial(ctx context.Context, o Options) (*net.UnixConn, error) {
	if err := checkKey(o.Key); err != nil {
		return nil, err
	}
	f, err := openFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ctx, stop := context.WithTimeoutCause(ctx, startTime, errors.New("the keeper is not there in time"))
	defer stop()
	conn, err := f.dial(ctx, o.Key, toServe)
	if !errors.Is(err, errAbsent) {
		return conn, err
	}
	release, err := f.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	conn, err = f.dial(ctx, o.Key, toServe)
	if !errors.Is(err, errAbsent) {
		return conn, err
	}
	if err := f.clear(o.Key); err != nil {
		return nil, err
	}
	if err := start(ctx, o); err != nil {
		return nil, err
	}
	return f.dial(ctx, o.Key, toServe)
}

// dial connects to a keeper that is there, and waits until it says so itself: one that is about to leave has not heard what
// was sent before.
func (f *folder) dial(ctx context.Context, key string, verb byte) (*net.UnixConn, error) {
	if _, err := f.socket(key); errors.Is(err, fs.ErrNotExist) {
		return nil, errAbsent
	} else if err != nil {
		return nil, err
	}
	conn, err := f.connect(ctx, key)
	if err != nil {
		return nil, err
	}
	if err = checkPeer(conn, os.Geteuid()); err == nil {
		err = greet(conn, verb)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func (f *folder) connect(ctx context.Context, key string) (*net.UnixConn, error) {
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", f.path(key+socketEnd))
		switch {
		case err == nil:
			return conn.(*net.UnixConn), nil
		case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: %w", errAbsent, err)
		case !errors.Is(err, syscall.EAGAIN): // too many wait to be let in
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
}

// checkPeer takes the user as an argument for its tests.
func checkPeer(conn *net.UnixConn, me int) error {
	uid, _, err := peerOf(conn)
	if err == nil && uid != me {
		err = fmt.Errorf("the other end of the socket belongs to the user %d", uid)
	}
	return err
}

func greet(conn *net.UnixConn, verb byte) error {
	conn.SetDeadline(time.Now().Add(greetTime))
	answer := []byte{verb}
	_, err := conn.Write(answer)
	if err == nil {
		_, err = io.ReadFull(conn, answer)
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fmt.Errorf("%w: it has left", errAbsent)
	case err != nil:
		return fmt.Errorf("the keeper does not answer: %w", err)
	case answer[0] != greeting:
		return errors.New("what listens there is no keeper")
	}
	return conn.SetDeadline(time.Time{})
}

// clear removes the socket of a keeper that was killed, and the processes that it has left. The caller holds the lock.
func (f *folder) clear(key string) error {
	_, err := f.socket(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	process.KillRun(tagOf(key))
	return os.Remove(f.path(key + socketEnd))
}

// ready is the line by which a keeper says that it can be reached.
const ready = "ready"

// start starts a keeper and waits until it can be reached, or says why not.
func start(ctx context.Context, o Options) error {
	order, err := o.order()
	if err != nil {
		return err
	}
	said, log, err := os.Pipe()
	if err != nil {
		return err
	}
	defer said.Close()
	o.Program.Tag, o.Program.Log = tagOf(o.Key), log
	started, err := process.Detach(o.Program)
	log.Close()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		started.Identity.Kill() // it has done nothing yet
		said.Close()
	})
	defer stop()
	_, err = started.Stdin.Write(order)
	started.Stdin.Close()
	if text := awaitReady(said); text != "" {
		err = errors.New(text)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("the keeper did not start: %w", err)
	}
	return nil
}

// awaitReady is "" when the keeper is ready, else what it said.
func awaitReady(said io.Reader) string {
	var text strings.Builder
	for lines := bufio.NewScanner(io.LimitReader(said, 16<<10)); lines.Scan(); {
		if lines.Text() == ready {
			return ""
		}
		fmt.Fprintln(&text, lines.Text())
	}
	if text.Len() == 0 {
		return "it said nothing"
	}
	return strings.TrimSpace(text.String())
}

// announce says that the keeper is ready, and lets go of who waits for that and of the files of whoever that is.
func announce() error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	starter, err := duplicate(os.Stdout)
	if err != nil {
		return err
	}
	defer starter.Close()
	if err := errors.Join(redirect(null, os.Stdout), redirect(null, os.Stderr)); err != nil {
		return err
	}
	_, err = io.WriteString(starter, ready+"\n")
	return err
}
