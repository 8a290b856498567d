package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
	"github.com/ryeos/rye/pkg/thread"
)

// setEnv sets a secret.
func setEnv(t *testing.T, s *agent.State, name, value string) {
	t.Helper()
	if err := s.SetEnv(t.Context(), name, value, true); err != nil {
		t.Fatal(err)
	}
}

// has compares a variable, "" if it must have no value.
func has(t *testing.T, s *agent.State, name, want string) {
	t.Helper()
	got, err := s.Env(t.Context(), name)
	if want == "" && item.TypeOf(err) == item.TypeNotFound {
		return
	}
	if err != nil || got != want {
		t.Errorf("thread %s has %s = %q, %v; want %q", s.ID(), name, got, err, want)
	}
}

// TestVariableOrder: thread, agent, prompt, then the user's and the machine's.
func TestVariableOrder(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(), nil)
	w.Env.Variables = map[string]string{"A": "host", "B": "host", "C": "host", "D": "host"}
	w.Catalog.Prompts["helper"].Env = map[string]string{"A": "prompt", "B": "prompt", "C": "prompt"}
	w.Catalog.Agents["helper"].Env = map[string]string{"A": "agent", "B": "agent"}
	s := w.State(w.Thread("helper"))
	setEnv(t, s, "A", "thread")
	for name, want := range map[string]string{"A": "thread", "B": "agent", "C": "prompt", "D": "host", "E": ""} {
		has(t, s, name, want)
	}
	if v, ok := s.InstanceEnv("A"); v != "host" || !ok {
		t.Errorf("the machine's value is %q, %v", v, ok)
	}
	setEnv(t, s, "A", "") // is a value
	if v, err := s.Env(t.Context(), "A"); v != "" || err != nil {
		t.Errorf("an empty value is %q, %v", v, err)
	}
}

// TestToolEntry: a function gets what the prompt's entry for it says, between the thread's variables and the agent's.
func TestToolEntry(t *testing.T) {
	var got []string
	look := func(ctx context.Context, c agent.Call) agent.ToolResult {
		seen := c.Name + string(c.Options)
		for _, name := range []string{"A", "B", "C"} {
			v, err := c.State.Env(ctx, name)
			if err != nil {
				t.Error(err)
			}
			seen += " " + v
		}
		got = append(got, seen)
		return agent.ToolResult{Result: "ok"}
	}
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Use("first", "{}", "second", "{}"), agenttest.Say("done")),
		tools{"first": look, "second": look})
	w.Catalog.Agents["helper"].Env = map[string]string{"A": "agent", "B": "agent", "C": "agent"}
	w.Catalog.Prompts["helper"].Tools = []agent.Tool{{Name: "second"},
		{Name: "first", Env: map[string]string{"A": "entry", "B": "entry"}, Options: json.RawMessage(`{"fast":true}`)}}
	id := w.Thread("helper")
	setEnv(t, w.State(id), "A", "thread")
	w.Say(id, "go")
	if want := []string{`first{"fast":true} thread entry agent`, "second thread agent agent"}; !slices.Equal(got, want) {
		t.Errorf("the tools saw %q, want %q", got, want)
	}
	has(t, w.State(id), "B", "agent")
}

// TestSecrets: a variable is one if whoever stored it or the prompt says so, and if nobody says anything. No model sees one,
// no event and no error.
func TestSecrets(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(agenttest.Use("note", "{}"), agenttest.Say("ok")), tools{"note": done("")})
	w.Env.Variables = map[string]string{"HOST_TEXT": "host text", "HOST_SECRET": "hush-1", "HOST_UNSAID": "hush-2"}
	w.Catalog.Agents["helper"].Env = map[string]string{"AGENT_TEXT": "agent text", "AGENT_SECRET": "hush-3"}
	p := w.Catalog.Prompts["helper"]
	p.Variables = []agent.Variable{{Name: "HOST_TEXT"}, {Name: "HOST_SECRET", Secret: true}, {Name: "AGENT_SECRET", Secret: true}, {Name: "OWN_DECLARED", Secret: true}, {Name: "OWN_SECRET"}}
	p.Parts = nil
	for _, name := range []string{"HOST_TEXT", "HOST_SECRET", "HOST_UNSAID", "AGENT_TEXT", "AGENT_SECRET", "OWN_TEXT", "OWN_SECRET", "OWN_DECLARED"} {
		p.Parts = append(p.Parts, agent.PromptPart{Text: name + "="}, agent.PromptPart{Env: name}, agent.PromptPart{Text: " "})
	}
	n := agent.NewThread{Agent: "helper", Variables: []agent.Value{{Name: "OWN_TEXT", Value: "own text"}, {Name: "OWN_SECRET", Value: "hush-4", Secret: true}, {Name: "OWN_DECLARED", Value: "hush-5"}}}
	thread, err := w.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	w.Say(thread.ID, "hello")
	same(t, "the prompt", []string{w.Provider.Requests()[0].System},
		"HOST_TEXT=host text HOST_SECRET= HOST_UNSAID= AGENT_TEXT=agent text AGENT_SECRET= OWN_TEXT=own text OWN_SECRET= OWN_DECLARED= ")
	seen, err := json.Marshal([]any{w.Provider.Requests(), w.Env.Events(), w.Rows(thread.ID)})
	if err != nil || bytes.Contains(seen, []byte("hush")) {
		t.Errorf("a secret is in what models or listeners see, %v", err)
	}
	for name, want := range map[string]bool{"HOST_TEXT": false, "HOST_UNSAID": true, "AGENT_SECRET": true, "OWN_TEXT": false, "OWN_SECRET": true, "OWN_DECLARED": true, "NOBODYS": true} {
		if got, err := w.State(thread.ID).IsSecret(t.Context(), name); err != nil || got != want {
			t.Errorf("%s is a secret: %v, %v", name, got, err)
		}
	}
}

// TestSealedVariables: what was stored is good for its thread, its name and its kind only, and for who has the key.
func TestSealedVariables(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(), nil)
	a, b := w.State(w.Thread("helper")), w.State(w.Thread("helper"))
	setEnv(t, a, "TOKEN", "sesame")
	setEnv(t, b, "TOKEN", "other")
	document := sealedDocument(t, w, a.ID(), "TOKEN")
	if bytes.Contains(document, []byte("sesame")) {
		t.Fatalf("the storage has %s", document)
	}
	broken := func(what string, s *agent.State, name string, document []byte) {
		t.Helper()
		err := w.Storage.Update(t.Context(), func(tx record.Tx) error {
			return tx.Put(record.Key{Thread: s.ID(), Bucket: "variable", Name: name}, document)
		})
		if err != nil {
			t.Fatal(err)
		}
		value, err := s.Env(t.Context(), name)
		if item.TypeOf(err) != item.TypeIntegrity || value != "" || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %q, %v", what, value, err)
		}
	}
	broken("another thread", b, "TOKEN", document)
	broken("another name", a, "OTHER", document)
	broken("another name in the document", a, "OTHER", bytes.Replace(document, []byte(`"TOKEN"`), []byte(`"OTHER"`), 1))
	broken("no secret any more", a, "TOKEN", bytes.Replace(document, []byte(`"secret":true`), []byte(`"secret":false`), 1))
	broken("too short", a, "TOKEN", []byte(`{"name":"TOKEN","sealed":"AAAA","secret":true}`))

	setEnv(t, a, "TOKEN", "sesame")
	if again := sealedDocument(t, w, a.ID(), "TOKEN"); bytes.Equal(again, document) {
		t.Error("two values were sealed with one nonce")
	}
	for name, key := range map[string][]byte{"another key": bytes.Repeat([]byte{7}, 32), "no key": nil} {
		r, err := agent.New(agent.Config{Storage: w.Storage, Provider: w.Provider, Definitions: w.Catalog, Clock: w.Clock, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		if value, err := r.State(a.ID()).Env(t.Context(), "TOKEN"); err == nil || value != "" {
			t.Errorf("%s: %q, %v", name, value, err)
		}
		if err := r.State(a.ID()).SetEnv(t.Context(), "NEW", "v", true); (err != nil) != (key == nil) {
			t.Errorf("%s: setting a variable: %v", name, err)
		}
	}
	if err := a.SetEnv(t.Context(), "not a name", "sesame", true); item.TypeOf(err) != item.TypeUsage || strings.Contains(err.Error(), "sesame") {
		t.Errorf("a bad name: %v", err)
	}
	if _, err := agent.New(agent.Config{Storage: w.Storage, Provider: w.Provider, Definitions: w.Catalog, Clock: w.Clock, Key: []byte("short")}); err == nil {
		t.Error("a short key is taken")
	}
}

func sealedDocument(t *testing.T, w *agenttest.World, thread, name string) (document []byte) {
	t.Helper()
	err := w.Storage.View(t.Context(), func(tx record.Reader) (err error) {
		document, err = tx.Get(record.Key{Thread: thread, Bucket: "variable", Name: name})
		return err
	})
	if err != nil || document == nil {
		t.Fatalf("%s is stored as %s, %v", name, document, err)
	}
	return document
}

// TestVariablesOnDisk: the files of the database never hold a value.
func TestVariablesOnDisk(t *testing.T) {
	dir := t.TempDir()
	store, err := thread.Open(t.Context(), dir, thread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := family(t, store.Records(), blockingWorker, casting{"helper": {agenttest.Use("worker", "{}"), agenttest.Say("ok")}, "worker": {finish("done")}})
	n := agent.NewThread{Agent: "helper", Variables: []agent.Value{{Name: "TOKEN", Value: "open-sesame-42", Secret: true}}}
	parent, err := w.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	w.Say(parent.ID, "a plain text to look for")
	child := w.State(onlyChild(w, parent.ID).Reference)
	has(t, child, "TOKEN", "open-sesame-42")
	setEnv(t, w.State(parent.ID), "TOKEN", "open-sesame-43")
	found := func() (plain, secret bool) {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			plain, secret = plain || bytes.Contains(data, []byte("a plain text to look for")), secret || bytes.Contains(data, []byte("open-sesame"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return plain, secret
	}
	if plain, secret := found(); !plain || secret {
		t.Errorf("while it is open: plain text %v, secret %v", plain, secret)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if plain, secret := found(); !plain || secret {
		t.Errorf("when it is closed: plain text %v, secret %v", plain, secret)
	}
}

// TestSetEnvReachesDescendants: living ones, but not those that have a value of their own.
func TestSetEnvReachesDescendants(t *testing.T) {
	w := family(t, record.NewMemory(), resumableWorker(agent.Resumable{}), casting{
		"helper": {create("Ann", "dig"), agenttest.Say("ok"), create("Bob", "dig"), agenttest.Say("ok"), agenttest.Say("fine"), agenttest.Say("fine")},
		"worker": {finish("a hole"), finish("a hole")}})
	parent := w.Thread("helper")
	setEnv(t, w.State(parent), "SHARED", "1")
	setEnv(t, w.State(parent), "SCOPED", "parent's")
	w.Catalog.Prompts["work"].Variables = []agent.Variable{{Name: "SCOPED", Scoped: true}}
	w.Say(parent, "make Ann")
	w.Say(parent, "make Bob")
	list := kids(w, parent)
	if len(list) != 2 {
		t.Fatalf("children %+v", list)
	}
	ann, bob := w.State(list[0].Reference), w.State(list[1].Reference)
	has(t, ann, "SHARED", "1")
	has(t, ann, "SCOPED", "")
	setEnv(t, ann, "SCOPED", "Ann's")
	if err := w.Terminate(t.Context(), bob.ID(), "enough"); err != nil {
		t.Fatal(err)
	}
	setEnv(t, w.State(parent), "SHARED", "2")
	setEnv(t, w.State(parent), "SCOPED", "new")
	setEnv(t, w.State(parent), "NEW", "3")
	has(t, ann, "SHARED", "2")
	has(t, ann, "SCOPED", "Ann's")
	has(t, ann, "NEW", "3")
	has(t, bob, "SHARED", "1")
	setEnv(t, ann, "SHARED", "Ann's")
	has(t, w.State(parent), "SHARED", "2")
	if err := bob.SetEnv(t.Context(), "SHARED", "x", false); !errors.Is(err, agent.ErrTerminated) {
		t.Errorf("a terminated thread: %v", err)
	}
}

// TestMovedVariablesStay: what was moved into a child is not replaced by what its parent sets later.
func TestMovedVariablesStay(t *testing.T) {
	w, id := secret(t, record.NewMemory(), secretCast)
	w.Say(id, "hello")
	list := kids(w, id)
	values := func() (all []string) {
		for _, c := range list {
			value, err := w.State(c.Reference).Env(t.Context(), "TOKEN")
			if err != nil {
				t.Error(err)
			}
			all = append(all, value)
		}
		return all
	}
	before := values()
	setEnv(t, w.State(id), "TOKEN", "the parent's new one")
	if after := values(); !slices.Equal(before, after) || len(before) != 2 {
		t.Errorf("the children have %q, had %q", after, before)
	}
}
