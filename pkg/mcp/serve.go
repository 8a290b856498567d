package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
)

// MaxRequest bounds, in bytes, one message of a client to rye's own server.
const MaxRequest = 8 << 20

// listFresh is how long a client may keep the list of tools: they stay the same for as long as the server lives.
const listFresh = time.Hour

// farewell is how long clients have to read their last answers when the server ends.
const farewell = 3 * time.Second

// instructions are what a client tells its model about the server.
const instructions = "rye runs signed items: tools, graphs and directives. fetch finds and reads them, execute runs them."

// Items is what the tools of rye's own server are for. Failures are in the answers.
type Items interface {
	Execute(ctx context.Context, call ExecuteCall, activity *Activity) Answer
	Fetch(ctx context.Context, call FetchCall) Answer
	Sign(ctx context.Context, call SignCall) Answer
}

// Answer is what a tool gives back: one JSON object, and whether it tells of a failure.
type Answer struct {
	Document json.RawMessage
	Failed   bool
}

// ServeOptions are how rye's own server is set up.
type ServeOptions struct {
	Version    string // of rye
	AskProject bool   // calls must say which project they are about
	Concurrent int    // how many items run at a time; the others wait
}

// host is rye's own server. It has three tools, however many items there are: the model looks for items with one of them,
// so that those that it does not need cost it nothing.
type host struct {
	server *sdk.Server
	ended  context.Context // ends every call

	mu    sync.Mutex
	calls sync.WaitGroup
}

// newHost makes a server whose calls end with ctx.
func newHost(ctx context.Context, items Items, o ServeOptions) *host {
	h := &host{ended: ctx}
	h.server = sdk.NewServer(&sdk.Implementation{Name: "rye", Title: "rye", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // no logs, and the list does not change
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
			c.TTLMs, c.CacheScope = int(listFresh.Milliseconds()), "public"
		},
	})
	h.server.AddReceivingMiddleware(onlyTools)
	for _, t := range offers(items, o) {
		t.do = h.counted(t.do)
		t.tool.Meta = digestOf(t.tool)
		h.server.AddTool(t.tool, h.handler(t))
	}
	return h
}

// digestOf lets clients that pin tools see at once whether a definition is the one they know.
func digestOf(t *sdk.Tool) sdk.Meta {
	d, err := definition(t)
	if err != nil {
		panic(err) // it is a literal
	}
	return sdk.Meta{"rye/digest": d.Digest()}
}

// handler answers the calls of one tool.
func (h *host) handler(o offer) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		for _, end := range []context.Context{h.ended, requestOf(req)} {
			defer context.AfterFunc(end, func() { cancel(context.Cause(end)) })()
		}
		return toolResult(o.call(ctx, req)), nil
	}
}

// counted has wait know of what a call starts, and starts nothing once the end has come.
func (h *host) counted(do deed) deed {
	return func(ctx context.Context, given arguments, activity *Activity) Answer {
		h.mu.Lock()
		over := h.ended.Err() != nil
		if !over {
			h.calls.Add(1)
		}
		h.mu.Unlock()
		if over {
			return ErrorAnswer(given.text("item_id"), item.Errorf(item.TypeInterrupted, "the server ends"))
		}
		defer h.calls.Done()
		return do(ctx, given, activity)
	}
}

// wait returns when nothing runs any more that a call has started. The host's context has ended before.
func (h *host) wait() {
	h.mu.Lock() // who has begun is counted, and nobody else begins
	defer h.mu.Unlock()
	h.calls.Wait()
}

// finish waits for what is running, and then a moment for answers to be read: a client that does not read keeps nobody.
func (h *host) finish(leave func()) {
	h.wait()
	left := make(chan struct{})
	go func() {
		leave()
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(farewell):
	}
}

// toolResult is an answer as the protocol has it: for programs as a value, for models as its text.
func toolResult(a Answer) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: string(a.Document)}}, StructuredContent: a.Document, IsError: a.Failed,
	}
}
