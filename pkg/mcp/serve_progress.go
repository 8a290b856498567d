package mcp

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// tellEvery is the shortest time between two reports of progress, aliveEvery the longest.
	tellEvery  = time.Second
	aliveEvery = 3 * time.Second
	// longestLine is, in bytes, what of a program's output may become a report; shownLine how much of it does, in characters.
	longestLine = 4 << 10
	shownLine   = 200
)

// Activity is what is going on in a call: it is written what a program prints, and keeps the last whole line.
type Activity struct {
	mu     sync.Mutex
	line   []byte
	open   []byte // what has come of the line after it
	skip   bool   // the open line is too long, and was dropped
	redact func(string) string
}

// Redact sets what takes secrets out of lines before somebody sees them.
func (a *Activity) Redact(redact func(string) string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.redact = redact
}

// Write never fails. It is called with all that a program prints, so it looks only at the end.
func (a *Activity) Write(data []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	end := bytes.LastIndexAny(data, "\n\r")
	if end < 0 {
		a.keep(data)
		return len(data), nil
	}
	whole := bytes.TrimRight(data[:end], " \t\r\n") // empty lines tell nothing
	if start := bytes.LastIndexAny(whole, "\n\r"); start >= 0 {
		a.open, a.skip, whole = a.open[:0], false, whole[start+1:]
	}
	a.keep(whole)
	if !a.skip && len(bytes.TrimSpace(a.open)) > 0 {
		a.line = append(a.line[:0], a.open...)
	}
	a.open, a.skip = a.open[:0], false
	a.keep(data[end+1:])
	return len(data), nil
}

func (a *Activity) keep(part []byte) {
	if a.skip = a.skip || len(a.open)+len(part) > longestLine; !a.skip {
		a.open = append(a.open, part...)
	}
}

// take is the last line as people may see it, "" if there is no new one.
func (a *Activity) take() string {
	a.mu.Lock()
	line, redact := string(a.line), a.redact
	a.line = a.line[:0]
	a.mu.Unlock()
	if line == "" {
		return ""
	}
	if redact != nil {
		line = redact(line)
	}
	shown := []rune(strings.TrimSpace(Clean(line)))
	if len(shown) > shownLine {
		shown = append(shown[:shownLine], '…')
	}
	return string(shown)
}

// report tells a client that has asked for it how the call is going, until the returned function is called.
func (a *Activity) report(ctx context.Context, req *sdk.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.tell(ctx, func(p *sdk.ProgressNotificationParams) {
			p.ProgressToken = token
			req.Session.NotifyProgress(ctx, p) // who does not listen misses nothing that the answer does not say
		})
	}()
	return func() {
		cancel()
		<-done
	}
}

// tell reports new lines, and from time to time that there are none.
func (a *Activity) tell(ctx context.Context, send func(*sdk.ProgressNotificationParams)) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	started := time.Now()
	told := started
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			line := a.take()
			if line == "" && now.Sub(told) < aliveEvery {
				continue
			}
			told = now
			passed := now.Sub(started)
			if line == "" {
				line = fmt.Sprintf("running for %d s", int(passed.Seconds()))
			}
			send(&sdk.ProgressNotificationParams{Progress: passed.Seconds(), Message: line})
		}
	}
}
