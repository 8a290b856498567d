package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
	minGain          = 4       // a summary has to replace this part of the threshold: else each step would ask for one
)

const summaryPrompt = `You write the memory of a conversation that has become too long. Its participants will go on with nothing but
your text. Write down: what is asked for; what was decided, and why; what was done, with names of files, ids and exact
values that are needed again; what failed and must not be tried again; what is left to do. Quote what must be kept word by
word. Name who said what if others than the agent took part. Do not greet, do not comment, do not call tools.`

// compactIfNeeded replaces the history by a summary when it has become too long. It happens before a step and never behind
// the last one: an answer is not followed by a call of a model that nobody asked for. If there can be no summary, the
// history stays as it is. It reports whether a model was asked: then limits have to be looked at again.
func (f *flow) compactIfNeeded(agent *Agent, prompt *Prompt) (asked bool, err error) {
	if agent.OnContextLimit == FailThere {
		return false, nil
	}
	model, bound := f.contextBound(agent, prompt)
	if model == nil || f.contextSize() < bound || len(f.history) < f.compactFrom {
		return false, nil
	}
	d := f.divide()
	if d.gain == 0 || d.gain < bound/minGain {
		return false, nil
	}
	return true, f.compact(agent, prompt, model, d)
}

// contextLimit is the bound of an agent that does without summaries.
func (f *flow) contextLimit(agent *Agent, prompt *Prompt) *LimitReached {
	if agent.OnContextLimit != FailThere {
		return nil
	}
	model, bound := f.contextBound(agent, prompt)
	if model == nil {
		return nil
	}
	return f.thread.reached(LimitReached{"context_exceeded", LimitExceeded, f.contextSize(), bound})
}

// contextBound is how long the history that a prompt's model sees may become; without a bound the model is nil.
func (f *flow) contextBound(agent *Agent, prompt *Prompt) (*Model, int64) {
	if agent.CompactAt < 0 || !prompt.IncludeChat {
		return nil, 0
	}
	model, err := f.definitions.Model(prompt.Model)
	if err != nil {
		return nil, 0 // the step will say so
	}
	return model, threshold(agent, model)
}

// division is how a history is cut in two.
type division struct {
	end  int      // the summary is about the rows before this one
	kept []string // of them, those that stay
	gain int64    // an estimate of the others
}

// divide cuts behind the last row that is not the other side's. What the turn is to answer is not replaced: the side would
// go on working at what it only knows from hearsay.
func (f *flow) divide() division {
	side, since := f.thread.Session.Side, f.thread.Session.Since
	d := division{end: len(f.history)}
	for d.end > 0 && fromOther(side, &f.history[d.end-1]) {
		d.end--
	}
	turn := latestOther(side, f.history)
	if i := slices.IndexFunc(f.history, func(m Message) bool { return since != "" && m.ID >= since }); i >= 0 {
		turn = i
	}
	for turn > 0 && fromOther(side, &f.history[turn-1]) {
		turn-- // it has not been answered either
	}
	for i := range f.history[:d.end] {
		if m := &f.history[i]; i >= turn && fromOther(side, m) {
			d.kept = append(d.kept, m.ID)
		} else {
			d.gain += estimate(m)
		}
	}
	return d
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
		if l := m.log(); l != nil && l.Purpose == ForStep && l.Usage.Total() > 0 {
			return n + l.Usage.Total()
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

func (f *flow) compact(agent *Agent, prompt *Prompt, model *Model, d division) error {
	request, err := f.summaryRequest(agent, prompt, model, f.history[:d.end])
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
	a := &Archive{To: f.history[d.end-1].ID, Kept: d.kept}
	err = f.update(func(tx record.Tx, t *Thread) error {
		if err := f.closeLog(tx, t, log, response, failure); err != nil || failure != nil {
			return err
		}
		a.Summary = response.Text
		return f.archive(tx, t, a)
	})
	if err != nil {
		return err
	}
	if failure != nil {
		f.compactFrom = len(f.history) + compactAgain
		f.emit(Event{Type: Compacted, Error: failure.Error()})
		return nil
	}
	f.emit(Event{Type: Compacted, Text: a.Summary})
	return f.storage.View(f.ctx, func(tx record.Reader) error { return f.refresh(tx, f.thread, nil) })
}

func (f *flow) summaryRequest(agent *Agent, prompt *Prompt, model *Model, history []Message) (Request, error) {
	system, err := f.systemPrompt(agent, prompt)
	if err != nil {
		return Request{}, err
	}
	everything, blind := *prompt, *model
	everything.IncludePastTools, blind.Vision = true, false
	entries := perspective(f.thread.Session.Side, &everything, history, "")
	if err := f.attach(entries, &everything, &blind); err != nil {
		return Request{}, err
	}
	list := []Entry{{Role: User, Text: "The agent's own instructions were:\n\n" + system}}
	for _, e := range f.withArchive(pair(entries)) {
		if e.Role == ToolRole {
			e.Text = shorten(e.Text, shortResult)
		}
		list = append(list, e)
	}
	list = append(list, Entry{Role: User, Text: "Write the memory now."})
	return Request{Thread: f.thread.ID, Purpose: ForSummary, Model: model, System: summaryPrompt, Messages: list, ToolChoice: "none"}, nil
}

// shorten cuts a text at a character, and says so.
func shorten(s string, n int) string {
	begin := prefix(s, n)
	if begin == s {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes more)", begin, len(s)-len(begin))
}

// prefix is the beginning of a text, at most n bytes, in whole characters.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
