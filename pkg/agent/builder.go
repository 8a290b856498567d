package agent

import (
	"fmt"
	"slices"
	"strings"
)

// builder puts the pieces of an answer together and tells listeners of them. Of text and thinking one segment is open at a
// time.
type builder struct {
	emit           func(Event)
	quiet          bool // nobody listens to this one
	spoke          bool
	segment        EventType // TextEnd or ThinkingEnd of the open segment
	text, thinking strings.Builder
	calls          map[int]*ToolCall
	begun          bool // ToolCallsBegin was sent
	usage          Usage
	finish, model  string
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
	to.WriteString(s)
	b.tell(Event{Type: delta, Text: s})
}

// call merges a piece of a tool call by its index.
func (b *builder) call(d CallDelta) {
	if b.calls == nil {
		b.calls = map[int]*ToolCall{}
	}
	call := b.calls[d.Index]
	if call == nil {
		call = &ToolCall{}
		b.calls[d.Index] = call
	}
	if d.ID != "" {
		call.ID = d.ID
	}
	if d.Name != "" {
		call.Name = d.Name
	}
	call.Arguments += d.Arguments
	if !b.begun && call.Name != "" {
		b.begun = true
		b.tell(Event{Type: ToolCallsBegin, Calls: b.named(func(c *ToolCall) bool { return c.Name != "" })})
	}
}

// named are the calls that are kept, in the order of their indexes.
func (b *builder) named(keep func(*ToolCall) bool) []ToolCall {
	indexes := make([]int, 0, len(b.calls))
	for i, call := range b.calls {
		if keep(call) {
			indexes = append(indexes, i)
		}
	}
	slices.Sort(indexes)
	calls := make([]ToolCall, len(indexes))
	for i, index := range indexes {
		calls[i] = *b.calls[index]
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

// response is the whole answer. Calls without an id or a name are no calls: nobody could answer them. Two of one id would
// get one answer, so the second is given another.
func (b *builder) response(model string) *Response {
	b.close()
	if b.model != "" {
		model = b.model
	}
	r := &Response{
		Text: b.text.String(), Thinking: b.thinking.String(), Usage: b.usage, Finish: b.finish, Model: model,
		Calls: b.named(func(c *ToolCall) bool { return c.ID != "" && c.Name != "" }),
	}
	seen := map[string]bool{}
	for i := range r.Calls {
		for n := 2; seen[r.Calls[i].ID]; n++ {
			r.Calls[i].ID = fmt.Sprintf("%s-%d", r.Calls[i].ID, n)
		}
		seen[r.Calls[i].ID] = true
	}
	return r
}
