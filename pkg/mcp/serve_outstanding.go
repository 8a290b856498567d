package mcp

import (
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// outstanding are the requests of a client that have no answer yet.
type outstanding struct {
	mu   sync.Mutex
	ids  map[any]int
	free chan struct{} // closed when there are none, once somebody has asked for that
}

func newOutstanding() *outstanding { return &outstanding{ids: map[any]int{}} }

// received counts a request. Nobody waits for the answer to one that was cancelled.
func (o *outstanding) received(msg jsonrpc.Message) {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if req.IsCall() {
		o.ids[req.ID.Raw()]++
		return
	}
	if req.Method == "notifications/cancelled" {
		var cancelled struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(req.Params, &cancelled) == nil {
			if n, ok := cancelled.RequestID.(float64); ok {
				cancelled.RequestID = int64(n)
			}
			o.drop(cancelled.RequestID)
		}
	}
}

// answered counts a response.
func (o *outstanding) answered(msg jsonrpc.Message) {
	if resp, ok := msg.(*jsonrpc.Response); ok {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.drop(resp.ID.Raw())
	}
}

// drop forgets one request. The caller holds the lock.
func (o *outstanding) drop(id any) {
	switch id.(type) {
	case string, int64:
	default:
		return // no id of a request
	}
	if o.ids[id]--; o.ids[id] <= 0 {
		delete(o.ids, id)
	}
	o.announce()
}

// announce is for none. The caller holds the lock.
func (o *outstanding) announce() {
	if o.free != nil && len(o.ids) == 0 {
		select {
		case <-o.free:
		default:
			close(o.free)
		}
	}
}

// none is closed as soon as there are no requests. Nothing may be received any more.
func (o *outstanding) none() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.free = make(chan struct{})
	o.announce()
	return o.free
}
