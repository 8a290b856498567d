package agent

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Provider asks a model. The engine knows nothing of wires: it sends a Request and gets pieces of the answer.
type Provider interface {
	// Stream yields what the model says, piece by piece. An error ends it; a *ProviderError tells whether to try again.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// ProviderFunc is a Provider that answers in one piece.
type ProviderFunc func(ctx context.Context, r Request) (Response, error)

// Stream implements Provider.
func (f ProviderFunc) Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		answer, err := f(ctx, r)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		c := Chunk{Text: answer.Text, Thinking: answer.Thinking, Usage: &answer.Usage, Finish: answer.Finish, Model: answer.Model}
		for i, call := range answer.Calls {
			c.Calls = append(c.Calls, CallDelta{Index: i, ID: call.ID, Name: call.Name, Arguments: call.Arguments})
		}
		yield(c, nil)
	}
}

// Request is one call of a model.
type Request struct {
	Thread   string
	Purpose  Purpose
	Model    *Model
	System   string
	Messages []Entry
	Tools    []ToolSchema

	ToolChoice string // auto, none, required
	Parallel   bool
	Reasoning  Reasoning
	Options    json.RawMessage // the prompt's, for the provider alone
}

// Purpose is what a model is called for.
type Purpose string

// Purposes of requests.
const (
	ForStep      Purpose = "step"
	ForPrompt    Purpose = "prompt"    // a prompt that is called as a tool
	ForGuest     Purpose = "guest"     // a guest's turn
	ForSummary   Purpose = "summary"   // compaction
	ForBootstrap Purpose = "bootstrap" // name and task of a child that starts unasked
)

// Entry is a message as a model sees it.
type Entry struct {
	Role      Role       `json:"role"`
	Text      string     `json:"-"`
	Parts     []Part     `json:"-"` // instead of Text, where there are pictures
	Calls     []ToolCall `json:"tool_calls,omitempty"`
	CallID    string     `json:"tool_call_id,omitempty"`
	Failed    bool       `json:"is_error,omitempty"` // of tool results
	Reasoning string     `json:"reasoning_content,omitempty"`

	message *Message // that it was made of; nil for what was injected
}

// Part is a piece of an Entry: text, or a file.
type Part struct {
	Text     string `json:"text,omitempty"`
	MIMEType string `json:"mime_type,omitempty"`
	Name     string `json:"name,omitempty"`
	Data     []byte `json:"data,omitempty"`
}

// MarshalJSON writes the content as chat protocols want it: null only for tool calls without a text, else a string, or a
// list of parts.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry
	var content any = e.Text
	switch {
	case len(e.Parts) > 0:
		content = e.Parts
	case e.Text == "" && e.Role == Assistant && len(e.Calls) > 0:
		content = nil
	}
	return json.Marshal(struct {
		plain
		Content any `json:"content"`
	}{plain(e), content})
}

// Chunk is a piece of an answer. Any of its fields may be set.
type Chunk struct {
	Text     string
	Thinking string
	Calls    []CallDelta
	Usage    *Usage // replaces what was said before
	Finish   string
	Model    string // that answered, if the provider says so
}

// CallDelta is a piece of a tool call. ID and Name replace when they are there, Arguments are appended.
type CallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// Usage counts tokens and what they cost.
type Usage struct {
	Input     int64 `json:"input_tokens,omitempty"`
	Cached    int64 `json:"cached_tokens,omitempty"` // of Input
	Output    int64 `json:"output_tokens,omitempty"`
	Reasoning int64 `json:"reasoning_tokens,omitempty"` // of Output
	Spend     int64 `json:"spend_micros,omitempty"`
}

// Total is what limits of tokens count.
func (u Usage) Total() int64 { return u.Input + u.Output }

func (u *Usage) add(v Usage) {
	u.Input += v.Input
	u.Cached += v.Cached
	u.Output += v.Output
	u.Reasoning += v.Reasoning
	u.Spend += v.Spend
}

// priced adds what tokens cost, if the provider did not say it.
func (m *Model) priced(u Usage) Usage {
	if u.Spend == 0 {
		u.Spend = m.Price.cost(u)
	}
	return u
}

// cost is the price of tokens, rounded up: budgets err to the safe side.
func (p Price) cost(u Usage) int64 {
	sum := (u.Input-u.Cached)*p.Input + u.Cached*p.Cached + u.Output*p.Output
	return (sum + 999_999) / 1_000_000
}

// Response is a whole answer.
type Response struct {
	Text     string     `json:"text"`
	Thinking string     `json:"thinking,omitempty"`
	Calls    []ToolCall `json:"tool_calls,omitempty"`
	Usage    Usage      `json:"usage"`
	Finish   string     `json:"finish_reason,omitempty"`
	Model    string     `json:"model"`
}

// ProviderError is a failure that the provider can tell more of.
type ProviderError struct {
	Err        error
	Type       string        // rate_limit, overloaded, auth, context, …: stored in the log
	Retry      bool          // the same request may succeed later
	RetryAfter time.Duration // not before
}

func (e *ProviderError) Error() string { return e.Err.Error() }
func (e *ProviderError) Unwrap() error { return e.Err }
