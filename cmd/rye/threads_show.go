package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// threadDetails are all that is known of one thread.
type threadDetails struct {
	Thread   thread.Thread      `json:"thread"`
	Response *item.Response     `json:"response,omitempty"` // of one that is at its end
	Children []thread.Thread    `json:"children"`
	Events   []thread.Event     `json:"events"` // the last ones
	Logs     map[string]logFile `json:"logs"`   // by stream
}

type logFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}

func newThreadsShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a thread: request, result, children, events, logs",
		Long: `Show all that is known of a thread: its status, the request as it was recorded (without secrets), its result, the threads
that it started, its last events, and where its logs are. Of a thread that was lost, the evidence.`,
		Example:           "  rye threads show 3f2a\n  rye threads show 3f2a -o json | jq .response.data",
		Args:              one("the id of a thread"),
		ValidArgsFunction: a.completeThreads(nil),
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := interruptible()
			defer stop()
			eng, store, err := a.registry(ctx)
			if err != nil {
				return err
			}
			d, err := readDetails(ctx, eng, store, args[0])
			if err != nil {
				return err
			}
			if a.format() != formatText {
				return a.print(d)
			}
			a.showThread(d, time.Now())
			return nil
		},
	}
}

const (
	shownChildren = 50
	shownEvents   = 20
)

func readDetails(ctx context.Context, eng *engine.Engine, store *thread.Store, id string) (*threadDetails, error) {
	t, err := store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	d := &threadDetails{Thread: t, Logs: map[string]logFile{}}
	if t.Status.Terminal() {
		if d.Response, err = eng.ThreadResponse(ctx, t); err != nil {
			return nil, err
		}
	}
	if d.Children, err = store.Children(ctx, t.ID, thread.Filter{Limit: shownChildren}); err != nil {
		return nil, err
	}
	if d.Events, err = lastEvents(ctx, store, t.ID); err != nil {
		return nil, err
	}
	for _, stream := range []string{"stdout", "stderr", "runner"} {
		path := filepath.Join(store.Dir(t.ID), stream+".log")
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			d.Logs[stream] = logFile{path, info.Size()}
		}
	}
	return d, nil
}

// lastEvents reads on to the end: an event's number says how many there were before it.
func lastEvents(ctx context.Context, store *thread.Store, id string) ([]thread.Event, error) {
	const page = 1000
	last := []thread.Event{}
	for seq := int64(0); ; seq = last[len(last)-1].Seq {
		events, err := store.Events(ctx, id, seq, page)
		if err != nil {
			return nil, err
		}
		last = append(last, events...)
		last = last[max(0, len(last)-shownEvents):]
		if len(events) < page {
			return last, nil
		}
	}
}

func (a *app) showThread(d *threadDetails, now time.Time) {
	t := d.Thread
	a.line("%s  %s", a.paintOut(bold, safe(t.ID)), a.paintOut(statusColour(t.Status), string(t.Status)))
	a.fact("item", t.Item)
	a.fact("parent", t.Parent)
	a.fact("started", fmt.Sprintf("%s, %s", t.CreatedAt.Local().Format(time.DateTime), ago(now.Sub(t.CreatedAt))))
	a.fact("took", elapsed(t, now))
	if !t.Status.Terminal() && t.PID != 0 {
		a.fact("pid", fmt.Sprint(t.PID))
	}
	a.fact("exit code", exitText(t))
	if !t.CancelRequested.IsZero() {
		a.fact("cancelled", t.CancelRequested.Local().Format(time.DateTime))
	}
	a.fact("continues", t.ContinuationOf)
	a.fact("continued", t.ContinuedBy)
	a.fact("request", string(t.Request))
	for _, stream := range []string{"stdout", "stderr", "runner"} {
		if f, ok := d.Logs[stream]; ok {
			a.fact(stream, fmt.Sprintf("%s, %d bytes", f.Path, f.Size))
		}
	}
	if t.Error != "" {
		a.line("\n%s", a.paintOut(red, safeLines(t.Error)))
	}
	a.showEvidence(t.Evidence)
	if d.Response != nil && d.Response.Data != nil {
		a.line("\n%s", a.paintOut(bold, "RESULT"))
		a.line("%s", safeLines(indented(d.Response.Data)))
	}
	if len(d.Children) > 0 {
		a.line("")
		a.printLines(a.threadTable(d.Children, now))
	}
	a.showEvents(d.Events)
}

// fact is one line of what is known; nothing is shown of what is not.
func (a *app) fact(name, value string) {
	if value != "" {
		a.line("%-10s %s", name, safe(value))
	}
}

func (a *app) showEvidence(e *thread.Evidence) {
	if e == nil {
		return
	}
	a.line("\n%s", a.paintOut(bold, "EVIDENCE"))
	a.fact("was", string(e.Was))
	a.fact("lock", e.Lock)
	if e.PID != 0 {
		a.fact("pid", fmt.Sprint(e.PID))
	}
	if e.Killed > 0 {
		a.fact("killed", fmt.Sprintf("%d processes that it left behind", e.Killed))
	}
	if e.Survivors > 0 {
		a.fact("alive", fmt.Sprintf("%d processes that it left behind", e.Survivors))
	}
	for _, name := range []string{"stdout.log", "stderr.log", "runner.log"} {
		if text := strings.TrimRight(e.LogTails[name], "\n"); text != "" {
			a.line("end of %s:\n%s", name, safeLines(text))
		}
	}
}

func (a *app) showEvents(events []thread.Event) {
	if len(events) == 0 {
		return
	}
	rows := make([][]string, len(events))
	for i, e := range events {
		rows[i] = []string{fmt.Sprint(e.Seq), e.At.Local().Format("15:04:05.000"), e.Type, string(e.Payload)}
	}
	a.line("")
	a.table([]string{"EVENT", "AT", "TYPE", "PAYLOAD"}, rows)
}

// indented writes a result as people read it.
func indented(data any) string {
	doc, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return fmt.Sprint(data)
	}
	return string(doc)
}

func statusColour(s thread.Status) colour {
	switch s {
	case thread.Completed, thread.Continued:
		return green
	case thread.Error, thread.Lost, thread.Killed:
		return red
	}
	return yellow
}
