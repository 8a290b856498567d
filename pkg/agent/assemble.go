package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// assemble makes the request of a step (seed 004 §4): what the prompt says, what of the history the side may see, from its
// point of view, and the tools. Stored rows are never changed: all of this is for one request.
func (f *flow) assemble(agent *Agent, prompt *Prompt, model *Model) (Request, error) {
	side := f.thread.Session.Side
	scope := Scope{Thread: f.thread.ID, Side: side, Agent: agent, Prompt: prompt}
	system, err := f.systemPrompt(agent, prompt)
	if err != nil {
		return Request{}, err
	}
	d := &PointData{Scope: scope, System: system}
	f.hook(AfterSystemMessage, d)
	system = d.System

	if !f.fetched {
		if err := f.storage.View(f.ctx, func(tx record.Reader) error { return f.refresh(tx, f.thread, nil) }); err != nil {
			return Request{}, err
		}
	}
	d = &PointData{Scope: scope, Messages: slices.Clone(f.history)}
	f.hook(FilterMessages, d)
	entries := perspective(side, prompt, d.Messages, f.thread.Session.Since)
	if err := f.attach(entries, prompt, model); err != nil {
		return Request{}, err
	}
	entries = pair(entries)
	if prompt.IncludeChat {
		entries = f.withArchive(entries)
	}
	framing := ""
	if slices.ContainsFunc(entries, func(e Entry) bool { return e.message != nil && e.message.Agent != "" }) {
		framing = guestFraming
	}
	entries = f.inject(scope, entries, framing)
	d = &PointData{Scope: scope, Entries: entries}
	if err := f.hook(PrefilterHistory, d); err != nil {
		if blocked, ok := err.(*Blocked); ok {
			return Request{}, blocked
		}
	}
	choice := prompt.ToolChoice
	if choice == "" {
		choice = "auto"
	}
	return Request{
		Thread: f.thread.ID, Purpose: ForStep, Model: model, System: system, Messages: pair(d.Entries), Tools: f.schemas(scope),
		ToolChoice: choice, Parallel: prompt.Parallel, Reasoning: prompt.Reasoning, Options: prompt.ProviderOptions,
	}, nil
}

// inject puts what hooks and instruction files say, and a framing, right before the newest entry of the user. None of it is
// stored.
func (f *flow) inject(s Scope, entries []Entry, framing string) []Entry {
	added := f.env.Hook().BeforeRun(f.ctx, s)
	if text, ok := f.env.DiscoverInstructions(f.env.EffectiveCWD(f.thread.ID)); ok && strings.TrimSpace(text) != "" {
		added = append(added, Entry{Role: User, Text: "<instructions>\n" + text + "\n</instructions>"})
	}
	if framing != "" {
		added = append(added, Entry{Role: User, Text: framing})
	}
	at := len(entries)
	for i, e := range slices.Backward(entries) {
		if e.Role == User {
			at = i
			break
		}
	}
	return slices.Insert(entries, at, added...)
}

// systemPrompt is the prompt with everything in it that is filled in.
func (f *flow) systemPrompt(agent *Agent, prompt *Prompt) (string, error) {
	arguments := members(f.thread.Arguments)
	return f.fill(agent, prompt, prompt.Parts, arguments, nil)
}

// fill joins the parts of a prompt. Text from arguments and variables is not looked into again.
func (f *flow) fill(agent *Agent, prompt *Prompt, parts []PromptPart, arguments map[string]string, within []string) (string, error) {
	var b strings.Builder
	for _, part := range parts {
		switch {
		case part.Include != "":
			if slices.Contains(within, part.Include) {
				return "", item.Errorf(item.TypeChain, "the prompt %s includes itself: %s", part.Include, strings.Join(append(within, part.Include), " -> "))
			}
			included, err := f.definitions.Prompt(part.Include)
			if item.TypeOf(err) == item.TypeNotFound && err != nil {
				fmt.Fprintf(&b, "[the prompt %s is missing]", part.Include)
				continue
			}
			if err != nil {
				return "", err
			}
			text, err := f.fill(agent, prompt, included.Parts, arguments, append(slices.Clip(within), part.Include))
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case part.Env != "":
			value, err := f.promptVariable(agent, prompt, part.Env)
			if err != nil {
				return "", err
			}
			b.WriteString(value)
		default:
			b.WriteString(interpolate(part.Text, arguments))
		}
	}
	return b.String(), nil
}

// interpolate replaces {{name}}. A name that nobody has given a value stays as it is written.
func interpolate(s string, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}}")
		value, known := values[strings.TrimSpace(name)]
		if !closed || !known {
			b.WriteString("{{")
			s = rest
			continue
		}
		b.WriteString(value)
		s = after
	}
}
