package main

import (
	"context"
	"os"
)

// untilUnread is for systems that tell when the reader of a pipe has gone; here the next write fails.
func untilUnread(ctx context.Context, _ *os.File) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}
