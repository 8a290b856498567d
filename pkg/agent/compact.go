package agent

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Compaction (seed 003; spec/agent-runtime B3, D4 #10).
const (
	DefaultCompactAt = 100_000 // tokens
	windowPercent    = 90      // of a model's context
	shortResult      = 1024    // bytes of a tool's result that a summary is made of
	compactAgain     = 16      // rows after a summary that failed
)

// Archive is a summary of what came before a mark. The rows stay where they are: it only bounds what models see.
type Archive struct {
	Name    string    `json:"name"`
	Summary string    `json:"summary"`
	From    string    `json:"from,omitempty"` // the mark of the archive before it
	To      string    `json:"to"`             // the last row that it is about
	Created time.Time `json:"created_at"`
}

const summaryPrompt = `You write the memory of a conversation that has become too long. Its participants will go on with nothing but
your text. Write down: what is asked for; what was decided, and why; what was done, with names of files, ids and exact
values that are needed again; what failed and must not be tried again; what is left to do. Quote what must be kept word by
word. Name who said what if others than the agent took part. Do not greet, do not comment, do not call tools.`

// compactIfNeeded replaces the history by a summary when it has become too long. It happens before a step and never behind
// the last one: an answer is not followed by a call of a model that nobody asked for. If there can be no summary, the
// history stays as it is.
func (f *flow) compactIfNeeded(agent *Agent, prompt *Prompt) error {
	if agent.CompactAt < 0 || !prompt.IncludeChat {
		return nil
	}
	model, err := f.definitions.Model(prompt.Model)
	if err != nil {
		return nil // the step will say so
	}
	if f.contextSize() < threshold(agent, model) || len(f.history) < f.compactFrom {
		return nil
	}
	end := len(f.history)
	if start := latestOther(f.thread.Session.Side, f.history); start < end && fromOther(f.thread.Session.Side, &f.history[end-1]) {
		end = start // what has not been answered is not archived
	}
	if end == 0 {
		return nil
	}
	return f.compact(agent, prompt, model, end)
}

func threshold(agent *Agent, model *Model) int64 {
	at := int64(agent.CompactAt)
	if at == 0 {
		at = DefaultCompactAt
	}
	if window := int64(model.MaxContext) * windowPercent / 100; window > 0 {
		at = min(at, window)
	}
	return at
}

// contextSize is what the model said that the last request took, with what was added since; an estimate if it said nothing.
func (f *flow) contextSize() int64 {
	var n int64
	for i := len(f.history) - 1; i >= 0; i-- {
		m := &f.history[i]
		if m.Log != nil && m.Log.Usage.Total() > 0 {
			return n + m.Log.Usage.Total()
		}
		n += estimate(m)
	}
	return n + int64(utf8.RuneCountInString(f.archived))/4
}

// estimate is a quarter of the characters.
func estimate(m *Message) int64 {
	n := utf8.RuneCountInString(m.Content) + utf8.RuneCountInString(m.Reasoning) + len(m.ToolCallID)
	for _, call := range m.ToolCalls {
		n += len(call.Name) + utf8.RuneCountInString(call.Arguments)
	}
	return max(1, int64(n)/4)
}

func (f *flow) compact(agent *Agent, prompt *Prompt, model *Model, end int) error {
	request, err := f.summaryRequest(agent, prompt, model, f.history[:end])
	if err != nil {
		return err
	}
	log := &ModelLog{Purpose: ForSummary, Prompt: prompt.Name, Model: model.Name, Attempt: 1}
	if err := f.update(func(tx record.Tx, t *Thread) error { return f.openLog(tx, t.ID, log) }); err != nil {
		return err
	}
	response, failure := f.ask(request, log)
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	if failure == nil && strings.TrimSpace(response.Text) == "" {
		failure = item.Errorf(item.TypeUnavailable, "the summary is empty")
	}
	last := f.history[end-1].ID
	err = f.update(func(tx record.Tx, t *Thread) error {
		if err := f.closeLog(tx, t, log, response, failure); err != nil || failure != nil {
			return err
		}
		return f.archive(tx, t, response.Text, last)
	})
	if err != nil {
		return err
	}
	if failure != nil {
		f.compactFrom = len(f.history) + compactAgain
		f.emit(Event{Type: Compacted, Error: failure.Error()})
		return nil
	}
	f.emit(Event{Type: Compacted, Text: response.Text})
	return f.storage.View(f.ctx, func(tx record.Reader) error { return f.refresh(tx, f.thread, nil) })
}

// archive stores a summary and the mark in one transaction: there is never one without the other.
func (f *flow) archive(tx record.Tx, t *Thread, summary, last string) error {
	n, err := next(tx, t.ID, string(archives))
	if err != nil {
		return err
	}
	a := &Archive{Name: "archive-" + strings.TrimLeft(n, "0"), Summary: summary, From: t.Mark, To: last, Created: f.now()}
	if err := archives.put(tx, t.ID, a.Name, a); err != nil {
		return err
	}
	t.Mark, t.Archive = last, a.Name
	f.fetched = false
	return f.note(tx, t.ID, "compaction", Metadata{"archive": a.Name, "to": last})
}

func (f *flow) summaryRequest(agent *Agent, prompt *Prompt, model *Model, history []Message) (Request, error) {
	system, err := f.systemPrompt(agent, prompt)
	if err != nil {
		return Request{}, err
	}
	list := []Entry{{Role: User, Text: "The agent's own instructions were:\n\n" + system}}
	if f.archived != "" {
		list = append(list, Entry{Role: User, Text: f.archived})
	}
	everything := *prompt
	everything.IncludePastTools = true
	for _, e := range pair(perspective(f.thread.Session.Side, &everything, history, "")) {
		if e.Role == ToolRole {
			e.Text = shorten(e.Text, shortResult)
		}
		list = append(list, e)
	}
	list = append(list, Entry{Role: User, Text: "Write the memory now."})
	return Request{Thread: f.thread.ID, Purpose: ForSummary, Model: model, System: summaryPrompt, Messages: list, ToolChoice: "none"}, nil
}

// shorten cuts a text at a character.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes more)", s[:n], len(s)-n)
}

// readArchive is what stands for the history before the mark.
func (f *flow) readArchive(tx record.Reader, t *Thread) (string, error) {
	if t.Archive == "" {
		return "", nil
	}
	a, err := archives.get(tx, t.ID, t.Archive)
	switch {
	case err != nil:
		return "", err
	case a == nil:
		return fmt.Sprintf("[What was said before is in the archive %s, which is unavailable.]", t.Archive), nil
	}
	return "[What was said before, in short:]\n" + a.Summary, nil
}

// Archives are the summaries of a thread, oldest first.
func (r *Runtime) Archives(ctx context.Context, thread string) ([]Archive, error) {
	var list []Archive
	err := r.storage.View(ctx, func(tx record.Reader) (err error) {
		list, err = archives.list(tx, thread, record.Range{})
		return err
	})
	return list, err
}
