package mcp

import (
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// outstanding are the requests of a client that have no answer yet.
type outstanding struct {
	mu  sync.Mutex
	ids map[jsonrpc.ID]bool
	all sync.WaitGroup
}

func newOutstanding() *outstanding { return &outstanding{ids: map[jsonrpc.ID]bool{}} }

// received counts a request. Nobody waits for the answer to one that was cancelled.
func (o *outstanding) received(msg jsonrpc.Message) {
	req, ok := msg.(*jsonrpc.Request)
	switch {
	case !ok:
	case req.IsCall():
		o.add(req.ID)
	case req.Method == "notifications/cancelled":
		var cancelled struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(req.Params, &cancelled) != nil {
			return
		}
		if id, err := jsonrpc.MakeID(cancelled.RequestID); err == nil {
			o.drop(id)
		}
	}
}

// answered counts a response.
func (o *outstanding) answered(msg jsonrpc.Message) {
	if resp, ok := msg.(*jsonrpc.Response); ok {
		o.drop(resp.ID)
	}
}

func (o *outstanding) add(id jsonrpc.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ids[id] {
		o.ids[id] = true
		o.all.Add(1)
	}
}

func (o *outstanding) drop(id jsonrpc.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ids[id] {
		delete(o.ids, id)
		o.all.Done()
	}
}

// none is closed when there are none any more. Nothing may be received from now on.
func (o *outstanding) none() <-chan struct{} {
	none := make(chan struct{})
	go func() {
		o.all.Wait()
		close(none)
	}()
	return none
}
