package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/ryeos/rye/internal/failpoint"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/thread"
)

// RunnerVerb is the hidden verb of a detached runner.
const RunnerVerb = "_async-runner"

// launch detaches the call (seed 002, async mode): the row first, then the runner, which is told to begin only when its
// process is recorded. Whatever dies on the way, the registry knows of the thread and will say what became of it.
func (c *Call) launch(ctx context.Context, params map[string]any, secrets *redact.Redactor) *item.Response {
	if _, err := c.plan(params, secrets); err != nil { // a mistake is told now, not in a log
		return c.failure(err)
	}
	params, started, err := c.reserveGraphRun(params)
	if err != nil {
		return c.failure(err)
	}
	t, err := c.detach(ctx, params, secrets)
	if err != nil {
		return c.failure(err)
	}
	return &item.Response{
		Status: item.StatusSuccess, Async: true, ThreadID: t.ID, Type: c.ref.Kind, ItemID: c.ref.String(),
		ExecutionMode: "inline", State: string(thread.Running), PID: t.PID, Warnings: c.chain.Warnings, Data: started,
	}
}

func (c *Call) detach(ctx context.Context, params map[string]any, secrets *redact.Redactor) (thread.Thread, error) {
	e := c.engine
	if e.options.Binary == "" {
		return thread.Thread{}, item.Errorf(item.TypeUnavailable, "cannot run detached: the rye program does not know where it is")
	}
	what := c.request
	what.Ref, what.Parameters, what.Async = c.ref.String(), params, false
	doc, err := order{Request: what, Engine: e.options.settled()}.encode()
	if err != nil {
		return thread.Thread{}, item.Usagef("the parameters cannot be passed on: %w", err)
	}
	store, err := e.Threads(ctx, false)
	if err != nil {
		return thread.Thread{}, err
	}
	t, err := c.register(ctx, store, what, secrets)
	if err != nil {
		return thread.Thread{}, err
	}
	failpoint.At("launch.registered")
	pid, err := c.start(ctx, store, t.ID, doc)
	if err != nil {
		failed := thread.Outcome{Status: thread.Error, Error: err.Error(), ErrorType: item.TypeOf(err)}
		store.Finish(context.WithoutCancel(ctx), t.ID, failed) // or the next reader finds it lost
		return thread.Thread{}, err
	}
	t.PID = pid
	return t, nil
}

// register makes the row. A tool that runs in a thread of this registry starts a child of it.
func (c *Call) register(ctx context.Context, store *thread.Store, what item.Request, secrets *redact.Redactor) (thread.Thread, error) {
	request, err := c.stored(what, secrets)
	if err != nil {
		return thread.Thread{}, err
	}
	n := thread.New{Item: what.Ref, Parent: c.engine.options.Thread, Request: request}
	t, err := store.Register(ctx, n)
	if n.Parent != "" && noThread(err) {
		n.Parent = ""
		t, err = store.Register(ctx, n)
	}
	return t, err
}

// stored is a request as the registry keeps it.
func (c *Call) stored(what item.Request, secrets *redact.Redactor) (json.RawMessage, error) {
	stored := storedRequest{Request: what, RerunOf: c.rerunOf}
	clean, _ := secrets.Value(runtime.MaskSecrets(c.Metadata(), what.Parameters)).(map[string]any)
	stored.Parameters = clean
	for _, name := range slices.Sorted(maps.Keys(what.Parameters)) {
		if !reflect.DeepEqual(clean[name], what.Parameters[name]) || !isText(clean[name]) {
			stored.Withheld = append(stored.Withheld, name)
		}
	}
	var request bytes.Buffer
	enc := json.NewEncoder(&request)
	enc.SetEscapeHTML(false) // people read it
	err := enc.Encode(stored)
	return bytes.TrimSpace(request.Bytes()), err
}

// isText reports whether JSON can hold all texts of a value: one that it cannot would come back as another one.
func isText(value any) bool {
	valid := true
	mapTexts(value, func(text string) string {
		valid = valid && utf8.ValidString(text)
		return text
	})
	return valid
}

// start starts the runner, records it and tells it to begin.
func (c *Call) start(ctx context.Context, store *thread.Store, id string, doc []byte) (pid int, err error) {
	o := c.engine.options
	log, err := os.OpenFile(filepath.Join(store.Dir(id), "runner.log"), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, item.Errorf(item.TypePermission, "cannot write the log of the runner: %w", err)
	}
	defer log.Close()
	runner, err := process.Detach(process.Program{
		Path: o.Binary, Argv: []string{o.Binary, RunnerVerb, "--project-path", o.Project, "--thread-id", id},
		Env: o.Env, Dir: o.Project, Tag: store.RunTag(id), Log: log,
	})
	if err != nil {
		return 0, item.Errorf(item.TypeUnavailable, "cannot start the runner: %w", err)
	}
	defer runner.Stdin.Close() // a runner that was told nothing, or half of it, does nothing
	failpoint.At("launch.started")
	if err := store.Assign(ctx, id, runner.Identity); err != nil {
		return 0, err
	}
	failpoint.At("launch.assigned")
	if _, err := runner.Stdin.Write(doc); err != nil {
		return 0, item.Errorf(item.TypeUnavailable, "the runner ended before it was told what to run: %w", err).
			Hint("its log: rye threads logs --stream runner %s", id)
	}
	failpoint.At("launch.told")
	return runner.Identity.PID, nil
}
