package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// MaxResult is how many bytes of what a tool says reach the history. Of more the middle is left out.
const MaxResult = 256 << 10

// storeResult stores what a tool said, or takes the call out of the history if a hook wants that.
func (f *flow) storeResult(scope Scope, c *Call, result *ToolResult, row *Message) error {
	d := &PointData{Scope: scope, Call: c, Result: result}
	f.hook(BeforeStoreResult, d)
	after := AfterToolSuccess
	if d.Result.Failed() {
		after = AfterToolFailure
	}
	f.hook(after, d)
	result = d.Result
	result.tame()
	row.Ended = f.now()
	// What a tool has done is done, even if the thread has been told to stop meanwhile: the model has to know.
	err := f.settle(func(tx record.Tx, t *Thread) error {
		if d.Drop {
			row.answer(result, nil)
			return dropCall(tx, t.ID, row)
		}
		kept, err := f.keep(tx, t.ID, result.Attachments)
		switch {
		case item.TypeOf(err) == item.TypeNotFound || item.TypeOf(err) == item.TypeLimit:
			*result = ToolResult{Error: err.Error(), ErrorCode: "attachment"}
		case err != nil:
			return err
		}
		row.answer(result, kept)
		return storeMessage(tx, t.ID, row)
	})
	if err != nil {
		return err
	}
	switch {
	case d.Drop:
		f.fetched = false
	case row.shown():
		f.history = append(f.history, *row)
	}
	f.emit(Event{Type: ToolResulted, CallID: c.ID, Result: result, Duration: row.Ended.Sub(row.Created)})
	f.hook(ToolCallDone, &PointData{Scope: scope, Call: c, Result: result})
	return context.Cause(f.ctx)
}

// tame makes of what a tool says something that can be stored, and that a model can read.
func (r *ToolResult) tame() {
	r.Result, r.Error = valid(withoutMiddle(r.Result)), valid(withoutMiddle(r.Error))
	r.ErrorCode = valid(r.ErrorCode)
	if len(r.ErrorData) > MaxResult || r.ErrorData != nil && !json.Valid(r.ErrorData) {
		r.ErrorData = nil
	}
}

// withoutMiddle is the head and the tail of a text that is too long, cut between characters.
func withoutMiddle(s string) string {
	const half = MaxResult / 2
	if len(s) <= MaxResult {
		return s
	}
	head, tail := prefix(s, half), s[len(s)-half:]
	for i := 0; i < utf8.UTFMax && tail != "" && !utf8.RuneStart(tail[0]); i++ {
		tail = tail[1:]
	}
	note := fmt.Sprintf("\n[%d bytes are left out here: a result may have %d. Ask for a part of it.]\n", len(s)-len(head)-len(tail), MaxResult)
	return strings.Join([]string{head, tail}, note)
}

// answer makes the row of a call that of its result.
func (m *Message) answer(r *ToolResult, attachments []Attachment) {
	m.Status, m.ToolStatus, m.Subagent, m.Attachments, m.Content = Completed, ToolSucceeded, r.Subagent, attachments, r.text(attachments)
	if r.Failed() {
		m.ToolStatus = ToolFailed
	}
	if r.ErrorCode != "" || r.ErrorData != nil {
		m.Error = &ToolResult{ErrorCode: r.ErrorCode, ErrorData: r.ErrorData}
	}
}

// dropCall removes a call and its result.
func dropCall(tx record.Tx, thread string, row *Message) error {
	asked, err := messages.get(tx, thread, row.Answers)
	if err != nil {
		return err
	}
	if asked != nil {
		kept := []ToolCall{}
		for _, call := range asked.ToolCalls {
			if call.ID != row.ToolCallID {
				kept = append(kept, call)
			}
		}
		asked.ToolCalls = kept
		if err := storeMessage(tx, thread, asked); err != nil {
			return err
		}
	}
	if err := touch(tx, thread); err != nil {
		return err
	}
	return removeMessage(tx, thread, row.ID)
}

const nothingSaid = "The tool is done; it has nothing to say."

// text is what a model reads of a result.
func (r *ToolResult) text(attachments []Attachment) string {
	var b bytes.Buffer
	switch {
	case r.Failed():
		b.WriteString("The tool failed: " + r.Error)
	case r.Result == "":
		b.WriteString(nothingSaid)
	default:
		b.WriteString(r.Result)
	}
	for _, a := range attachments {
		b.WriteString("\n" + a.Path)
	}
	return b.String()
}
