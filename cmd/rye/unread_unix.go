//go:build unix

package main

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// untilUnread ends a context with errUnread when nobody reads any more what is written to f: what follows a log that is
// silent would not notice, as it does not write.
func untilUnread(ctx context.Context, f *os.File) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	poll := []unix.PollFd{{Fd: int32(f.Fd())}} // errors and hang-ups are always told
	go func() {
		for {
			_, err := unix.Poll(poll, -1)
			if err != unix.EINTR {
				break
			}
		}
		if poll[0].Revents != 0 {
			end(errUnread)
		}
	}()
	return ctx, func() { end(nil) }
}
