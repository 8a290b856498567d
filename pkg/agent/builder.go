package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of what a model says at a time.
const (
	MaxAnswer = 16 << 20 // bytes of text, thinking and calls; a longer answer is broken off, as one that failed
	MaxCalls  = 128      // tools; the answer says how many more were left out
)

// builder puts the pieces of an answer together and tells listeners of them. Of text and thinking one segment is open at a
// time.
type builder struct {
	emit           func(Event)
	quiet          bool // nobody listens to this one
	spoke          bool
	segment        EventType // TextEnd or ThinkingEnd of the open segment
	size           int
	text, thinking strings.Builder
	calls          map[int]*callBuilder
	begun          bool // ToolCallsBegin was sent
	usage          Usage
	finish, model  string
}

// callBuilder puts the pieces of a call together.
type callBuilder struct {
	id, name  string
	arguments strings.Builder
}

// add takes a piece and reports whether it was one of the answer itself.
func (b *builder) add(c Chunk) bool {
	if c.Usage != nil {
		b.usage = *c.Usage
	}
	if c.Finish != "" {
		b.finish = c.Finish
	}
	if c.Model != "" {
		b.model = c.Model
	}
	b.delta(c.Thinking, &b.thinking, ThinkingStart, ThinkingDelta, ThinkingEnd)
	b.delta(c.Text, &b.text, TextStart, TextDelta, TextEnd)
	for _, d := range c.Calls {
		b.call(d)
	}
	said := c.Text != "" || c.Thinking != "" || len(c.Calls) > 0
	b.spoke = b.spoke || said
	return said
}

func (b *builder) delta(s string, to *strings.Builder, start, delta, end EventType) {
	if s == "" {
		return
	}
	if b.segment != end {
		b.close()
		b.tell(Event{Type: start})
		b.segment = end
	}
	b.size += len(s)
	to.WriteString(s)
	b.tell(Event{Type: delta, Text: s})
}

// call merges a piece of a tool call by its index.
func (b *builder) call(d CallDelta) {
	if b.calls == nil {
		b.calls = map[int]*callBuilder{}
	}
	call := b.calls[d.Index]
	if call == nil {
		call = &callBuilder{}
		b.calls[d.Index] = call
	}
	if d.ID != "" {
		call.id = d.ID
	}
	if d.Name != "" {
		call.name = d.Name
	}
	b.size += len(d.ID) + len(d.Name) + len(d.Arguments)
	call.arguments.WriteString(d.Arguments)
	if !b.begun && call.name != "" {
		b.begun = true
		b.tell(Event{Type: ToolCallsBegin, Calls: b.named()})
	}
}

// named are the calls of which the tool is known, in the order of their indexes.
func (b *builder) named() []ToolCall {
	var calls []ToolCall
	for _, index := range slices.Sorted(maps.Keys(b.calls)) {
		if c := b.calls[index]; c.name != "" {
			calls = append(calls, ToolCall{ID: valid(c.id), Name: valid(c.name), Arguments: valid(c.arguments.String())})
		}
	}
	return calls
}

// close ends the open segment.
func (b *builder) close() {
	if b.segment != "" {
		b.tell(Event{Type: b.segment})
		b.segment = ""
	}
}

func (b *builder) tell(e Event) {
	if !b.quiet {
		b.emit(e)
	}
}

// response is the whole answer. Calls without an id or a name are no calls: nobody could answer them.
func (b *builder) response(model string) *Response {
	b.close()
	if b.model != "" {
		model = b.model
	}
	r := &Response{
		Text: valid(b.text.String()), Thinking: valid(b.thinking.String()), Usage: b.usage, Finish: b.finish, Model: model,
		Calls: slices.DeleteFunc(b.named(), func(c ToolCall) bool { return c.ID == "" }),
	}
	if more := len(r.Calls) - MaxCalls; more > 0 {
		r.Calls = r.Calls[:MaxCalls]
		r.Text = strings.TrimLeft(fmt.Sprintf("%s\n[%d more tool calls were left out: an answer may have %d]", r.Text, more, MaxCalls), "\n")
	}
	distinguish(r.Calls)
	return r
}

// distinguish gives the second of two calls of one id another: they would get one answer.
func distinguish(calls []ToolCall) {
	seen := map[string]bool{}
	for i := range calls {
		id := calls[i].ID
		for n := 2; seen[calls[i].ID]; n++ {
			calls[i].ID = fmt.Sprintf("%s-%d", id, n)
		}
		seen[calls[i].ID] = true
	}
}

// valid is a text as it will be when it has been stored as JSON: what is in memory must not differ from that.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
