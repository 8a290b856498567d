package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("B7-13", behavesThinking)
	conform("B7-14", behavesSegment)
	conform("B7-15", behavesThinkingThenText)
	conform("B7-16", behavesOneSegmentAtATime)
	conform("B7-17", behavesTextBeforeCalls)
	conform("B7-19", content(agent.Entry{Role: agent.Assistant, Calls: []agent.ToolCall{{ID: "1"}}}, `null`))
	conform("B7-20", content(agent.Entry{Role: agent.Assistant}, `""`))
	conform("B7-21", content(agent.Entry{Role: agent.User}, `""`))
	conform("B7-22", content(agent.Entry{Role: agent.ToolRole}, `""`))
	conform("B7-23", content(agent.Entry{Role: agent.Assistant, Text: "hi", Calls: []agent.ToolCall{{ID: "1"}}}, `"hi"`))
	conform("B7-24", pieces("note{\"a\":1}=one", delta(0, "one", "note", ""), delta(0, "", "", `{"a":`), delta(0, "", "", `1}`)))
	conform("B7-25", pieces("note{}=one", delta(0, "one", "note", ""), delta(0, "", "note", `{}`)))
	conform("B7-26", pieces("note{}=one", delta(0, "", "note", ""), delta(0, "one", "", `{}`)))
	conform("B7-27", pieces(`note{"a":[1,2]}=one`, delta(0, "one", "note", `{"a"`), delta(0, "", "", `:[1`), delta(0, "", "", `,2]}`)))
	conform("B7-28", pieces("note{1}=one note{2}=two", delta(1, "two", "note", "{"), delta(0, "one", "note", "{"), delta(1, "", "", "2}"), delta(0, "", "", "1}")))
	conform("B7-29", behavesCallsWithoutText)
	conform("B7-30", behavesNothingBuilt)
	conform("B7-31", pieces("", delta(0, "", "note", `{}`)))
	conform("B7-32", pieces("note{}=two", delta(0, "", "note", `{}`), delta(1, "two", "note", `{}`), delta(2, "three", "", `{}`)))
	conform("B7-33", behavesAnnouncedCalls)
	conform("B7-34", behavesVisibleText)
}

// streamed are the events of an answer, deltas included.
func streamed(t *testing.T, storage record.Storage, chunks ...agent.Chunk) []string {
	t.Helper()
	w, _, _ := said(t, storage, agenttest.Reply{Chunks: chunks}, agenttest.Say("done"))
	var list []string
	for _, e := range w.Env.Events() {
		switch {
		case e.Type == agent.StepStarted:
			list = nil
		case e.Type == agent.StepCompleted || e.Type == agent.Done:
			return list
		case e.Type != agent.StageStarted:
			list = append(list, strings.TrimSuffix(string(e.Type)+" "+e.Text, " "))
		}
	}
	t.Fatal("the step has no end")
	return nil
}

func behavesThinking(t *testing.T, storage record.Storage) {
	same(t, "events", streamed(t, storage, agent.Chunk{Thinking: "h"}, agent.Chunk{Thinking: "m"}),
		"thinking_start", "thinking_delta h", "thinking_delta m", "thinking_end")
}

func behavesSegment(t *testing.T, storage record.Storage) {
	same(t, "events", streamed(t, storage, agent.Chunk{Text: "a"}, agent.Chunk{Text: "b"}, agent.Chunk{Finish: "stop"}, agent.Chunk{Text: "c"}),
		"text_start", "text_delta a", "text_delta b", "text_delta c", "text_end")
}

func behavesThinkingThenText(t *testing.T, storage record.Storage) {
	same(t, "events", streamed(t, storage, agent.Chunk{Thinking: "hm"}, agent.Chunk{Text: "ah"}),
		"thinking_start", "thinking_delta hm", "thinking_end", "text_start", "text_delta ah", "text_end")
}

func behavesOneSegmentAtATime(t *testing.T, storage record.Storage) {
	same(t, "events", streamed(t, storage, agent.Chunk{Text: "a", Thinking: "1"}, agent.Chunk{Text: "b", Thinking: "2"}),
		"thinking_start", "thinking_delta 1", "thinking_end", "text_start", "text_delta a", "text_end",
		"thinking_start", "thinking_delta 2", "thinking_end", "text_start", "text_delta b", "text_end")
	w, _, _ := said(t, storage, agenttest.Reply{Chunks: []agent.Chunk{{Text: "a"}}, Err: errRefused})
	same(t, "events of an answer that breaks off", events(w.Env.Events()), "step_started", "text_start", "text_end", "done")
}

func behavesTextBeforeCalls(t *testing.T, storage record.Storage) {
	same(t, "events", streamed(t, storage, agent.Chunk{Text: "a"}, agent.Chunk{Calls: []agent.CallDelta{{ID: "1", Name: "note"}}}),
		"text_start", "text_delta a", "tool_calls_begin", "text_end", "tool_calls_start", "tool_result", "tool_calls_complete")
}

// content wants an entry to be written with a content.
func content(e agent.Entry, want string) func(*testing.T, record.Storage) {
	return func(t *testing.T, _ record.Storage) {
		var got struct{ Content json.RawMessage }
		if data, err := json.Marshal(e); err != nil || json.Unmarshal(data, &got) != nil || string(got.Content) != want {
			t.Errorf("%+v has the content %s, want %s; %v", e, got.Content, want, err)
		}
	}
}

func delta(index int, id, name, arguments string) agent.Chunk {
	return agent.Chunk{Calls: []agent.CallDelta{{Index: index, ID: id, Name: name, Arguments: arguments}}}
}

// pieces wants chunks to make calls, written as name, arguments and id.
func pieces(want string, chunks ...agent.Chunk) func(*testing.T, record.Storage) {
	return func(t *testing.T, storage record.Storage) {
		w, id, _ := said(t, storage, agenttest.Reply{Chunks: append(chunks, agent.Chunk{Text: "."})}, agenttest.Say("done"))
		var calls []string
		for _, call := range w.Rows(id)[1].ToolCalls {
			calls = append(calls, call.Name+call.Arguments+"="+call.ID)
		}
		if got := strings.Join(calls, " "); got != want {
			t.Errorf("the calls are %q, want %q", got, want)
		}
	}
}

func behavesCallsWithoutText(t *testing.T, storage record.Storage) {
	w, id, _ := said(t, storage, agenttest.Use("note", `{}`), agenttest.Say("done"))
	answer := w.Rows(id)[1]
	if answer.Content != "" || len(answer.ToolCalls) != 1 {
		t.Errorf("row %+v", answer)
	}
	data, err := json.Marshal(w.Provider.Requests()[1].Messages[1])
	if err != nil || !strings.Contains(string(data), `"content":null`) {
		t.Errorf("the model is shown %s, %v", data, err)
	}
}

func behavesNothingBuilt(t *testing.T, storage record.Storage) {
	w, id, o := said(t, storage, agenttest.Reply{Chunks: []agent.Chunk{{Finish: "stop", Usage: &agent.Usage{Input: 3}}}})
	if o.Text != "" || o.Reason != agent.NoAction || o.Usage.Input != 3 || len(transcript(w.Rows(id))) != 1 {
		t.Errorf("outcome %+v, rows %q", o, transcript(w.Rows(id)))
	}
}

func behavesAnnouncedCalls(t *testing.T, storage record.Storage) {
	var begun []agent.ToolCall
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Reply{Chunks: []agent.Chunk{
		delta(0, "one", "", ""), delta(1, "two", "note", `{"a`), delta(0, "", "note", "{}"), delta(1, "", "", `":1}`)}}, agenttest.Say("done")), tools{"note": done("")})
	times := 0
	w.Env.OnEvent = func(e agent.Event) {
		if e.Type == agent.ToolCallsBegin {
			begun = e.Calls
			times++
		}
	}
	w.Say(w.Thread("helper"), "go")
	if times != 1 || len(begun) != 1 || begun[0] != (agent.ToolCall{ID: "two", Name: "note", Arguments: `{"a`}) {
		t.Errorf("announced %d times: %+v", times, begun)
	}
}

func behavesVisibleText(t *testing.T, storage record.Storage) {
	same(t, "events", streamed(t, storage, agent.Chunk{Text: ""}, agent.Chunk{Usage: &agent.Usage{Input: 1}}, agent.Chunk{Model: "m"}, agent.Chunk{Text: "a"}),
		"text_start", "text_delta a", "text_end")
}
