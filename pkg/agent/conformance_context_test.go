package agent_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-4.1", testSystemPrompt)
	conform("SA-4.2", testFilteredHistory)
	conform("SA-4.3", testToolsAndSettings)
	conform("SA-4.4", testOwnSideIsAssistant)
	conform("SA-4.5", testOtherSideIsUser)
	conform("SA-4.6", testOtherSidesToolsAreHidden)
	conform("SA-4.7", testPicturesAreShown)
	conform("SA-4.8", testPicturesAreKept)
}

func testSystemPrompt(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("hello")), nil)
	w.Env.Variables = map[string]string{"CITY": "Bern", "TOKEN": "hush", "{{who}}": "x"}
	w.Catalog.Prompts["manners"] = &agent.Prompt{Name: "manners", Parts: []agent.PromptPart{{Text: "Greet {{who}}."}}}
	p := w.Catalog.Prompts["helper"]
	p.Variables = []agent.Variable{{Name: "CITY"}, {Name: "TOKEN", Secret: true}}
	p.Parts = []agent.PromptPart{{Text: "For {{ who }} {{unknown}} in "}, {Env: "CITY"}, {Env: "TOKEN"}, {Env: "UNSET"}, {Text: ". "}, {Include: "manners"}, {Include: "gone"}}
	thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Arguments: json.RawMessage(`{"who":"Ada {{unknown}}"}`)})
	if err != nil {
		t.Fatal(err)
	}
	w.Say(thread.ID, "hi")
	same(t, "the system prompt", []string{w.Provider.Requests()[0].System},
		"For Ada {{unknown}} {{unknown}} in Bern. Greet Ada {{unknown}}.[the prompt gone is missing]")
}

func testFilteredHistory(t *testing.T, storage record.Storage) {
	broken := agenttest.Reply{Text: "half an ans", Err: &agent.ProviderError{Type: "auth", Err: errDead}}
	p := agenttest.Script(agenttest.Use("note", `{"n":1}`), agenttest.Use("note", `{"n":2}`), agenttest.Say("one"), broken, agenttest.Say("three"))
	w := agenttest.New(t, storage, p, tools{"note": done("noted")})
	id := w.Thread("helper")
	w.Say(id, "1")
	if _, err := w.State(id).Inject(t.Context(), agent.Message{Role: agent.User, Content: "not for you", Silent: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.State(id).DeleteMessage(t.Context(), w.Rows(id)[1].ID); err != nil { // the first call
		t.Fatal(err)
	}
	w.Say(id, "2")
	w.Say(id, "3")
	same(t, "the last request", asked(p.Requests()[4]),
		"user: 1", `assistant:  [note{"n":2}]`, "tool: noted", "assistant: one", "user: 2", "user: 3")
}

func testToolsAndSettings(t *testing.T, storage record.Storage) {
	w := agenttest.New(t, storage, agenttest.Script(agenttest.Say("hello")), tools{"note": done("noted"), "unlisted": done("")})
	p := w.Catalog.Prompts["helper"]
	p.Tools = []agent.Tool{{Name: "note", Description: "Take a note"}, {Name: "critic"}, {Name: "nothing"}}
	p.ToolChoice, p.Parallel, p.ProviderOptions = "required", true, json.RawMessage(`{"seed":7}`)
	p.Reasoning = agent.Reasoning{Effort: "high", MaxTokens: 100, Exclude: true}
	w.Catalog.Prompts["critic"] = &agent.Prompt{Name: "critic", Description: "Criticises", Schema: json.RawMessage(`{"type":"object","required":["text"]}`)}
	w.Say(w.Thread("helper"), "hi")
	r := w.Provider.Requests()[0]
	got, err := json.Marshal(r.Tools)
	want := `[{"name":"note","description":"Take a note","parameters":{"type":"object"}},` +
		`{"name":"critic","description":"Criticises","parameters":{"type":"object","required":["text"]}}]`
	if err != nil || string(got) != want {
		t.Errorf("tools %s, %v", got, err)
	}
	if r.ToolChoice != "required" || r.Reasoning != p.Reasoning || !r.Parallel || string(r.Options) != `{"seed":7}` || r.Purpose != agent.ForStep {
		t.Errorf("request %+v", r)
	}
}

// talkers is a world of an agent "talkers" with two models: the asking one has a tool and ends the session with "finish".
func talkers(t *testing.T, storage record.Storage, replies ...agenttest.Reply) *agenttest.World {
	w := agenttest.New(t, storage, agenttest.Script(replies...), tools{"look": done("a cat"), "finish": done("finished")})
	w.Catalog.Prompts["asker"] = &agent.Prompt{Name: "asker", Parts: []agent.PromptPart{{Text: "You ask."}}, Model: "model", IncludeChat: true,
		IncludePastTools: true, Tools: []agent.Tool{{Name: "look"}, {Name: "finish"}}}
	w.Catalog.Prompts["answerer"] = &agent.Prompt{Name: "answerer", Parts: []agent.PromptPart{{Text: "You answer."}}, Model: "model", IncludeChat: true, IncludePastTools: true}
	w.Catalog.Agents["talkers"] = &agent.Agent{Name: "talkers", Kind: agent.Dual,
		SideA: agent.Side{Prompt: "asker", SessionStop: agent.Binding{Tool: "finish"}}, SideB: agent.Side{Prompt: "answerer"}}
	return w
}

// conversation is one of talkers in which both sides have spoken, and its requests.
func conversation(t *testing.T, storage record.Storage) []agent.Request {
	w := talkers(t, storage, agenttest.Use("look", `{}`), agenttest.Say("What is it?"), agenttest.Say("An animal."), agenttest.Use("finish", `{}`))
	if o := w.Say(w.Thread("talkers"), "Talk."); o.Reason != agent.SessionStop {
		t.Fatalf("outcome %+v", o)
	}
	return w.Provider.Requests()
}

func testOwnSideIsAssistant(t *testing.T, storage record.Storage) {
	last := conversation(t, storage)[3]
	same(t, "the asker's last request", asked(last),
		"user: Talk.", "assistant:  [look{}]", "tool: a cat", "assistant: What is it?", "user: An animal.")
}

func testOtherSideIsUser(t *testing.T, storage record.Storage) {
	r := conversation(t, storage)[2]
	if r.System != "You answer." {
		t.Fatalf("the third request is of %q", r.System)
	}
	same(t, "the answerer's request", asked(r), "assistant: Talk.", "user: What is it?")
}

func testOtherSidesToolsAreHidden(t *testing.T, storage record.Storage) {
	w := talkers(t, storage, agenttest.Reply{Text: "I look.", Calls: []agent.ToolCall{{ID: "1", Name: "look"}}}, agenttest.Say("What is it?"),
		agenttest.Say("An animal."), agenttest.Use("finish", `{}`))
	w.Say(w.Thread("talkers"), "Talk.")
	r := w.Provider.Requests()[2]
	same(t, "the answerer's request", asked(r), "assistant: Talk.", "user: I look.", "user: What is it?")
	if len(r.Tools) != 0 {
		t.Errorf("the answerer has the asker's tools: %+v", r.Tools)
	}
}

var picture = []byte("\x89PNG\r\n\x1a\n and so on")

// pictured is a world with a message that has a picture and a text attached.
func pictured(t *testing.T, storage record.Storage, replies ...agenttest.Reply) (w *agenttest.World, id string) {
	w = agenttest.New(t, storage, agenttest.Script(replies...), nil)
	id = w.Thread("helper")
	_, err := w.Send(t.Context(), id, agent.Outgoing{Content: "What is it?", Attachments: []agent.Attachment{
		{Name: "cat.png", MIMEType: "image/png", Data: picture}, {Name: "cat.txt", MIMEType: "text/plain", Data: []byte("a cat")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return w, id
}

func run(w *agenttest.World, thread string) *agent.Outcome {
	w.T.Helper()
	o, err := w.Run(w.T.Context(), thread)
	if err != nil {
		w.T.Fatal(err)
	}
	return o
}

func testPicturesAreShown(t *testing.T, storage record.Storage) {
	w, id := pictured(t, storage, agenttest.Say("a cat"))
	w.Catalog.Models["model"].Vision = true
	run(w, id)
	e := w.Provider.Requests()[0].Messages[0]
	files := w.Rows(id)[0].Attachments
	if len(e.Parts) != 3 || len(files) != 2 {
		t.Fatalf("parts %+v of %+v", e.Parts, files)
	}
	if e.Parts[0].Text != "What is it?" || e.Parts[1].MIMEType != "image/png" || !bytes.Equal(e.Parts[1].Data, picture) ||
		e.Parts[2].Text != "[attachment "+files[1].Path+" (text/plain)]" {
		t.Errorf("parts %+v", e.Parts)
	}
}

func testPicturesAreKept(t *testing.T, storage record.Storage) {
	w, id := pictured(t, storage, agenttest.Say("I see nothing"), agenttest.Say("a cat"),
		agenttest.Reply{Err: &agent.ProviderError{Err: errDead}}, agenttest.Say("I see nothing either"))
	run(w, id)
	before := w.Rows(id)[0]
	blind := "user: What is it?\n[attachment " + before.Attachments[0].Path + " (image/png)]\n[attachment " + before.Attachments[1].Path + " (text/plain)]"
	same(t, "the request to a blind model", asked(w.Provider.Requests()[0]), blind)
	w.Catalog.Models["model"].Vision = true
	w.Say(id, "And now?")
	if e := w.Provider.Requests()[1].Messages[0]; len(e.Parts) != 3 || !bytes.Equal(e.Parts[1].Data, picture) {
		t.Errorf("a model that sees is shown %+v", e)
	}
	w.Catalog.Models["model"].Fallbacks = []string{"blind"}
	w.Catalog.Models["blind"] = &agent.Model{Name: "blind"}
	w.Say(id, "And now?")
	r := w.Provider.Requests()[3]
	if r.Model.Name != "blind" || asked(r)[0] != blind {
		t.Errorf("a blind model that answers for one that sees is shown %q", asked(r))
	}
	if after := w.Rows(id)[0]; !reflect.DeepEqual(after, before) {
		t.Errorf("the stored message %+v was %+v", after, before)
	}
}
