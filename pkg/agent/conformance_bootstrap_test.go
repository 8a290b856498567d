package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

func init() {
	conform("SA-7.8", testImmediateIsFirst)
	conform("SA-7.9", testHintsAndScopedValues)
	conform("SA-7.10", testImmediateIsRecursive)
	conform("SA-7.14", testBootstrapModel)
	conform("SA-7.15", testParentModelsSeeNoScopedValue)
	conform("SA-7.16", testScopedValuesAreEncrypted)
	conform("SA-7.17", testChildModelsSeeNoScopedValue)
	conform("SA-7.18", testMissingVariables)
	conform("SA-7.19", testVariableRequest)
	conform("SA-7.20", testSubmittedVariables)
}

// order is which roles were asked, one after another.
func order(w *agenttest.World) []string {
	var roles []string
	for _, r := range w.Provider.Requests() {
		role := r.System
		if r.Purpose == agent.ForBootstrap {
			role = "bootstrap"
		}
		roles = append(roles, role)
	}
	return roles
}

func immediateWorker(i agent.Immediate, background bool, max int) agent.Tool {
	sub := &agent.Subagent{Background: background, Immediate: &i}
	if max > 0 {
		sub.Resumable = &agent.Resumable{Receives: "side_a", MaxInstances: max}
	}
	return agent.Tool{Name: "worker", Subagent: sub}
}

func testImmediateIsFirst(t *testing.T, storage record.Storage) {
	w := family(t, storage, immediateWorker(agent.Immediate{}, false, 0), casting{
		"worker": {finish("ready")}, "helper": {agenttest.Say("Hello."), agenttest.Say("Again.")}})
	id := w.Thread("helper")
	w.Say(id, "hello")
	w.Say(id, "hello again")
	same(t, "who was asked", order(w), "worker", "helper", "helper")
	if first := asked(w.Provider.Requests()[1]); !strings.Contains(strings.Join(first, "\n"), "ready") {
		t.Errorf("the result is not in the parent's first request: %q", first)
	}
	if list := kids(w, id); len(list) != 1 {
		t.Errorf("%d children were started", len(list))
	}

	w = family(t, storage, immediateWorker(agent.Immediate{}, true, 0), casting{"helper": {agenttest.Say("Hello.")}})
	var there int
	answer := w.Provider.Answer
	id = w.Thread("helper")
	w.Provider.Answer = func(n int, r agent.Request) agenttest.Reply {
		there = len(kids(w, id))
		return answer(n, r)
	}
	if w.Say(id, "hello"); there != 1 {
		t.Errorf("at the parent's first request there were %d children", there)
	}
}

func testImmediateIsRecursive(t *testing.T, storage record.Storage) {
	w := family(t, storage, immediateWorker(agent.Immediate{}, false, 0), casting{
		"digger": {agenttest.Say("dug")}, "worker": {finish("ready")}, "helper": {agenttest.Say("Hello.")}})
	w.Catalog.Agents["digger"] = &agent.Agent{Name: "digger", SideA: agent.Side{Prompt: "dig"}}
	direct(w, "dig", "digger")
	work := w.Catalog.Prompts["work"]
	work.Tools = append(work.Tools, agent.Tool{Name: "digger", Subagent: &agent.Subagent{Immediate: &agent.Immediate{}}})
	id := w.Thread("helper")
	w.Say(id, "hello")
	same(t, "who was asked", order(w), "digger", "worker", "helper")
}

// secret is a world whose workers start with a name, a task and a secret of their own, up to two of them.
func secret(t *testing.T, storage record.Storage, cast casting) (w *agenttest.World, id string) {
	entry := immediateWorker(agent.Immediate{NameEnv: "WHO", DescriptionEnv: "TASK", ScopedEnv: []string{"TOKEN"}}, true, 2)
	w = family(t, storage, entry, cast)
	w.Catalog.Prompts["work"].Variables = []agent.Variable{{Name: "TOKEN", Secret: true, Scoped: true, Required: true}}
	w.Catalog.Prompts["work"].Parts = append(w.Catalog.Prompts["work"].Parts, agent.PromptPart{Env: "TOKEN"})
	thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Variables: []agent.Value{
		{Name: "WHO", Value: "Ann"}, {Name: "TASK", Value: "dig here"}, {Name: "TOKEN", Value: "sesame-one", Secret: true},
		{Name: "WHO__2", Value: "Bob"}, {Name: "TASK__2", Value: "dig there"}, {Name: "TOKEN__2", Value: "sesame-two", Secret: true},
		{Name: "TASK__3", Value: "one too many"}, {Name: "SHARED", Value: "for all"}}})
	if err != nil {
		t.Fatal(err)
	}
	return w, thread.ID
}

var secretCast = casting{"helper": {agenttest.Say("Hello.")},
	"bootstrap": {agenttest.Use("bootstrap_immediate_subagent", `{"name":"Ann the digger","message":"Please dig here."}`), {Err: errors.New("no")}},
	"worker":    {finish("one"), finish("two")}}

func testHintsAndScopedValues(t *testing.T, storage record.Storage) {
	w, id := secret(t, storage, secretCast)
	w.Say(id, "hello")
	list := kids(w, id)
	if len(list) != 2 {
		t.Fatalf("%d children were started", len(list))
	}
	for i, r := range w.Provider.Requests()[:2] {
		said := strings.Join(asked(r), "\n")
		if who := []string{"Ann", "Bob"}[i]; !strings.Contains(said, who) || strings.Contains(said, "sesame") {
			t.Errorf("bootstrap %d: %s", i, said)
		}
	}
	tokens := map[string]bool{}
	for _, c := range list {
		value, err := w.State(c.Reference).Env(t.Context(), "TOKEN")
		if err != nil {
			t.Error(err)
		}
		tokens[value] = true
		if shared, err := w.State(c.Reference).Env(t.Context(), "SHARED"); err != nil || shared != "for all" {
			t.Errorf("what is not scoped: %q, %v", shared, err)
		}
		if other, err := w.State(c.Reference).Env(t.Context(), "TOKEN__2"); err == nil {
			t.Errorf("a child has the other's %q", other)
		}
	}
	if !tokens["sesame-one"] || !tokens["sesame-two"] {
		t.Errorf("the children have %v", tokens)
	}
	for _, name := range []string{"TOKEN", "TOKEN__2"} {
		if value, err := w.State(id).Env(t.Context(), name); err == nil {
			t.Errorf("the parent still has %s: %q", name, value)
		}
	}
}

func testBootstrapModel(t *testing.T, storage record.Storage) {
	w, id := secret(t, storage, secretCast)
	w.Say(id, "hello")
	same(t, "who was asked", order(w), "bootstrap", "bootstrap", "helper")
	if r := w.Provider.Requests()[0]; len(r.Tools) != 1 || r.Tools[0].Name != "bootstrap_immediate_subagent" {
		t.Errorf("the bootstrap's tools: %+v", r.Tools)
	}
	began := map[string]string{}
	for _, c := range kids(w, id) {
		rows := transcript(w.Rows(c.Reference))
		began[c.Name] = rows[len(rows)-1]
	}
	if began["Ann the digger"] != "user: Please dig here. (pending)" || began["Bob"] != "user: dig there (pending)" {
		t.Errorf("the children began with %q", began)
	}
	logs, err := w.ModelLogs(t.Context(), id)
	if err != nil || len(logs) != 3 || logs[0].Purpose != agent.ForBootstrap || logs[1].Error != "no" || logs[1].Ended.IsZero() {
		t.Errorf("the logs: %+v, %v", logs, err)
	}
}

// grep looks for a text in everything that models were sent.
func grep(w *agenttest.World, role, text string) bool {
	for _, r := range w.Provider.Requests() {
		encoded, err := json.Marshal(r)
		if err != nil {
			w.T.Fatal(err)
		}
		if r.System == role && bytes.Contains(encoded, []byte(text)) {
			return true
		}
	}
	return false
}

func testParentModelsSeeNoScopedValue(t *testing.T, storage record.Storage) {
	w, id := secret(t, storage, secretCast)
	w.Say(id, "hello")
	for _, r := range w.Provider.Requests() {
		if grep(w, r.System, "sesame") {
			t.Errorf("%q was shown the secret", r.System)
		}
	}
	if !grep(w, w.Provider.Requests()[0].System, "dig here") {
		t.Error("the bootstrap was not shown the hint")
	}
}

func testChildModelsSeeNoScopedValue(t *testing.T, storage record.Storage) {
	w, id := secret(t, storage, secretCast)
	w.Say(id, "hello")
	for _, c := range kids(w, id) {
		run(w, c.Reference)
	}
	if !slices.Contains(order(w), "worker") || grep(w, "worker", "sesame") {
		t.Errorf("the children were asked %v, and shown the secret", order(w))
	}
}

// tap keeps what is written to a storage.
type tap struct {
	record.Storage
	mu      sync.Mutex
	written [][]byte
}

type tapped struct {
	record.Tx
	*tap
}

func (s *tap) Update(ctx context.Context, f func(record.Tx) error) error {
	return s.Storage.Update(ctx, func(tx record.Tx) error { return f(tapped{tx, s}) })
}

func (x tapped) Put(k record.Key, document []byte) error {
	x.mu.Lock()
	x.written = append(x.written, slices.Clone(document))
	x.mu.Unlock()
	return x.Tx.Put(k, document)
}

func testScopedValuesAreEncrypted(t *testing.T, storage record.Storage) {
	tapping := &tap{Storage: storage}
	w, id := secret(t, tapping, secretCast)
	w.Say(id, "hello")
	if len(kids(w, id)) != 2 || len(tapping.written) == 0 {
		t.Fatalf("%d children, %d writes", len(kids(w, id)), len(tapping.written))
	}
	for _, document := range tapping.written {
		if bytes.Contains(document, []byte("sesame")) {
			t.Errorf("the storage was given the secret: %s", document)
		}
	}
}

// wanting is a parent whose call of subagent_create waits for variables.
func wanting(t *testing.T, storage record.Storage) (w *agenttest.World, parent string, request agent.VariableRequest, result agent.Message) {
	w = family(t, storage, resumableWorker(agent.Resumable{}), casting{
		"helper": {create("Ann", "dig"), agenttest.Say("ok"), agenttest.Say("fine")}, "worker": {finish("a hole")}})
	w.Catalog.Prompts["work"].Variables = []agent.Variable{{Name: "TOKEN", Secret: true, Scoped: true, Required: true}, {Name: "PLACE", Scoped: true, Required: true},
		{Name: "MOOD", Scoped: true}, {Name: "SHARED", Required: true}}
	thread, err := w.Create(t.Context(), agent.NewThread{Agent: "helper", Variables: []agent.Value{{Name: "TOKEN", Value: "the parent's"}, {Name: "SHARED", Value: "for all"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.Say(thread.ID, "work")
	result = results(w, thread.ID)[0]
	if result.Error == nil {
		t.Fatalf("the call was not refused: %q", result.Content)
	}
	if err := json.Unmarshal(result.Error.ErrorData, &request); err != nil {
		t.Fatal(err)
	}
	return w, thread.ID, request, result
}

func testMissingVariables(t *testing.T, storage record.Storage) {
	w, parent, request, result := wanting(t, storage)
	var data struct{ Endpoint, Command, Agent string }
	if err := json.Unmarshal(result.Error.ErrorData, &data); err != nil {
		t.Fatal(err)
	}
	if result.ToolStatus != agent.ToolFailed || result.Error.ErrorCode != "subagent_env_required" || request.ID == "" ||
		!slices.Equal(request.Missing, []string{"TOKEN", "PLACE"}) || !slices.Equal(request.Required, request.Missing) || data.Agent != "worker" ||
		data.Endpoint != "/api/threads/"+parent+"/variables/"+request.ID || data.Command != "rye threads vars "+parent+" "+request.ID {
		t.Errorf("%s: %s", result.Content, result.Error.ErrorData)
	}
	if len(kids(w, parent)) != 0 {
		t.Error("the child was made without its variables")
	}
}

func testVariableRequest(t *testing.T, storage record.Storage) {
	w, parent, request, _ := wanting(t, storage)
	got, err := w.VariableRequest(t.Context(), parent, request.ID)
	if err != nil || got.Parent != parent || got.Agent != "worker" || got.Tool != "worker" || !slices.Equal(got.Missing, []string{"TOKEN", "PLACE"}) {
		t.Errorf("the request is %+v, %v", got, err)
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"request_id", "parent_thread_id", "agent_name", "registry_agent_name", "required", "missing"} {
		if !bytes.Contains(encoded, []byte(`"`+key+`":`)) {
			t.Errorf("%s has no %s", encoded, key)
		}
	}
	for _, id := range []string{"nonsense", parent} {
		if _, err := w.VariableRequest(t.Context(), parent, id); item.TypeOf(err) != item.TypeNotFound {
			t.Errorf("request %s: %v", id, err)
		}
	}
	if _, err := w.SubmitVariables(t.Context(), parent, "nonsense", map[string]string{"TOKEN": "x"}); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("submitting to an unknown request: %v", err)
	}
}

func testSubmittedVariables(t *testing.T, storage record.Storage) {
	w, parent, request, _ := wanting(t, storage)
	for _, given := range []map[string]string{nil, {"TOKEN": ""}, {"NONSENSE": "x", "TOKEN": "x", "PLACE": "y"}, {"TOKEN": "sesame"}} {
		if answer, err := w.SubmitVariables(t.Context(), parent, request.ID, given); item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%v: %+v, %v", given, answer, err)
		}
	}
	if got, err := w.VariableRequest(t.Context(), parent, request.ID); err != nil || fmt.Sprint(got.Missing) != "[PLACE]" {
		t.Errorf("after a part of the values the request is %+v, %v", got, err)
	}
	answer, err := w.SubmitVariables(t.Context(), parent, request.ID, map[string]string{"PLACE": "here", "MOOD": "good"})
	if err != nil || answer.Status != "success" || answer.Request != request.ID {
		t.Fatalf("%+v, %v", answer, err)
	}
	if c := onlyChild(w, parent); c.Reference != answer.Child || c.Name != "Ann" || !slices.Contains(w.Env.Wakes(), c.Reference) {
		t.Errorf("the child is %+v, woken were %v", c, w.Env.Wakes())
	}
	for name, want := range map[string]string{"TOKEN": "sesame", "PLACE": "here", "MOOD": "good", "SHARED": "for all"} {
		if value, err := w.State(answer.Child).Env(t.Context(), name); err != nil || value != want {
			t.Errorf("the child's %s is %q, %v", name, value, err)
		}
	}
	if _, err := w.VariableRequest(t.Context(), parent, request.ID); item.TypeOf(err) != item.TypeNotFound {
		t.Errorf("the request is still there: %v", err)
	}
	run(w, answer.Child)
	if rows := fromChild(w, parent); len(rows) != 1 || !strings.Contains(rows[0].Content, "a hole") {
		t.Errorf("the parent was told %q", transcript(rows))
	}
}
