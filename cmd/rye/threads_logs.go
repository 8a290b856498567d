package main

import (
	"encoding/json"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/thread"
)

// logsOptions choose a part of a log.
type logsOptions struct {
	follow bool
	stream string
	since  string
	tail   int
}

// allLines is how --tail is left out, in the spelling of other tools.
const allLines = -1

func newThreadsLogs(a *app) *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:   "logs ID",
		Short: "Print what a thread's tool wrote, and follow it",
		Long: `Print what the thread's tool wrote: its standard output to standard output, its standard error to standard error, byte for
byte and in the order in which they came. Secrets that rye knew of were taken out before they were written down.

The output is text also where standard output is no terminal. With -o json each chunk is one JSON object on a line of
its own: {"at", "stream", "offset", "text"}.

--follow goes on until the thread is at its end. --stream runner shows what rye itself had to say on the way.`,
		Example: `  rye threads logs 3f2a
  rye threads logs -f --since 5m 3f2a
  rye threads logs --stream stderr --tail 20 3f2a`,
		Args:              one("the id of a thread"),
		ValidArgsFunction: a.completeThreads(nil),
		RunE:              func(_ *cobra.Command, args []string) error { return runThreadsLogs(a, &o, args[0]) },
	}
	fs := cmd.Flags()
	fs.BoolVarP(&o.follow, "follow", "f", false, "go on until the thread is at its end")
	fs.StringVar(&o.stream, "stream", "", "only this `stream`: stdout, stderr or runner")
	fs.StringVar(&o.since, "since", "", "only what came since this `time`: an age such as 5m or 2d, or RFC 3339")
	fs.IntVar(&o.tail, "tail", allLines, "only the last `number` of lines")
	completeValues(cmd, "stream", thread.Stdout, thread.Stderr, thread.Runner)
	return cmd
}

func runThreadsLogs(a *app, o *logsOptions, id string) error {
	if err := a.streamFormat("threads logs"); err != nil {
		return err
	}
	if o.tail < allLines || o.tail == 0 {
		return item.Usagef("--tail must be positive, got %d", o.tail)
	}
	since, err := parseSince(o.since, time.Now())
	if err != nil {
		return err
	}
	ctx, stop := streaming(a.stdout)
	defer stop()
	_, store, err := a.registry(ctx)
	if err != nil {
		return err
	}
	write := a.writeLog
	if a.format() == formatJSON {
		write = a.writeLogJSON
	}
	for chunk, err := range store.ReadLog(ctx, id, thread.LogOptions{Stream: o.stream, Since: since, Tail: max(0, o.tail), Follow: o.follow}) {
		if err == nil {
			err = write(chunk)
		}
		if err != nil {
			return streamEnd(ctx, err)
		}
	}
	return nil
}

// parseSince reads an age or a time; nothing is the beginning of all.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	d, err := parseAge(text)
	if err != nil || d < 0 {
		return time.Time{}, item.Usagef("--since %s is neither an age nor a time", item.Quote(text)).
			Hint("an age: --since 5m, --since 2d").Hint("a time: --since %s", now.UTC().Format(time.RFC3339))
	}
	return now.Add(-d), nil
}

func (a *app) writeLog(c thread.LogChunk) error {
	to := io.Writer(a.stdout)
	if c.Stream == thread.Stderr {
		to = a.stderr
	}
	_, err := to.Write(c.Data)
	return lost(err)
}

func (a *app) writeLogJSON(c thread.LogChunk) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	return lost(enc.Encode(struct {
		At     time.Time `json:"at"`
		Stream string    `json:"stream"`
		Offset int64     `json:"offset"`
		Text   string    `json:"text"`
	}{c.At, c.Stream, c.Offset, string(c.Data)}))
}
