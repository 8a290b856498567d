//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// served is a project with an item for every way in which a call can end.
func served(t *testing.T) *ground {
	g := newGround(t)
	tool := func(name, body string) {
		g.write(".ai/tools/my/"+name+".sh", `# __version__ = "1.0.0"
# __tool_type__ = "bash"
# __executor_id__ = "my/runtime"
# __category__ = "my"
# __description__ = "A tool"
# CONFIG_SCHEMA = {"type": "object", "additionalProperties": False, "properties": {"secret": {"type": "string", "secret": True}, "n": {"type": "integer"}}}
`+body)
	}
	g.write(".ai/tools/my/runtime.yaml", `version: "1.0.0"
tool_type: runtime
executor_id: rye/core/primitives/execute
category: my
description: "Runs shell tools"
config: {command: sh, args: ["{tool_path}"], input_data: "{params_json}"}
`)
	tool("json", `cat`)
	tool("broken", `echo why >&2; exit 3`)
	g.write(".ai/directives/my/plan.md", "# Plan\n\n```xml\n<directive name=\"plan\" version=\"1.0.0\">\n  <metadata>\n    <description>A plan</description>\n    <category>my</category>\n"+
		"    <author>test</author>\n    <model tier=\"fast\"/>\n    <permissions/>\n  </metadata>\n  <inputs><input name=\"goal\" type=\"string\" required=\"true\">What for</input></inputs>\n</directive>\n```\n\nReach {input:goal}.\n")
	g.sign()
	tool("unsigned", `cat`)
	return g
}

// TestServeExecute: an answer is the envelope of the command line, and an error exactly if that says so.
func TestServeExecute(t *testing.T) {
	tests := map[string]struct {
		give      fields
		isError   bool
		status    any
		errorType any
		holds     string
	}{
		"ok":             {fields{"item_id": "tool:my/json", "parameters": fields{"n": json.Number("9007199254740993")}}, false, "success", nil, `9007199254740993`},
		"plain id":       {fields{"item_id": "my/json"}, false, "success", nil, `"item_id":"tool:my/json"`},
		"null":           {fields{"item_id": "my/json", "model": nil, "parameters": nil}, false, "success", nil, ``},
		"fails":          {fields{"item_id": "tool:my/broken"}, true, "error", "failed", `why`},
		"missing":        {fields{"item_id": "tool:my/jsn"}, true, "error", "not_found", `did you mean tool:my/json?`},
		"unsigned":       {fields{"item_id": "tool:my/unsigned"}, true, "error", "integrity", `rye sign tool:my/unsigned`},
		"wrong":          {fields{"item_id": "tool:my/json", "parameters": fields{"m": 1}}, true, "error", "usage", `unknown parameter`},
		"no id":          {fields{}, true, "error", "usage", `item_id`},
		"no such mode":   {fields{"item_id": "tool:my/json", "thread": "spoon"}, true, "error", "usage", `thread`},
		"no such word":   {fields{"item_id": "tool:my/json", "params": fields{}}, true, "error", "usage", `params`},
		"relative":       {fields{"item_id": "tool:my/json", "project_path": "."}, true, "error", "usage", `must be absolute`},
		"no folder":      {fields{"item_id": "tool:my/json", "project_path": "/nowhere/at/all"}, true, "error", "usage", `does not exist`},
		"dry run":        {fields{"item_id": "tool:my/json", "dry_run": true}, false, "validation_passed", nil, ``},
		"directive":      {fields{"item_id": "directive:my/plan", "parameters": fields{"goal": "the end"}}, false, nil, nil, `"your_directions":"`},
		"inputs":         {fields{"item_id": "directive:my/plan"}, true, "error", "usage", `declared_inputs`},
		"fork":           {fields{"item_id": "directive:my/plan", "thread": "fork", "model": "m", "limit_overrides": fields{"turns": 3}}, true, "error", "unavailable", `fork`},
		"tool fork":      {fields{"item_id": "tool:my/json", "thread": "fork"}, true, "error", "usage", `only applies to directives`},
		"idle limits":    {fields{"item_id": "tool:my/json", "limit_overrides": fields{"spend": 1}}, true, "error", "usage", `limit_overrides`},
		"unknown limit":  {fields{"item_id": "tool:my/json", "limit_overrides": fields{"luck": 1}}, true, "error", "usage", `luck`},
		"remote":         {fields{"item_id": "tool:my/json", "target": "remote"}, true, "error", "unavailable", `remote`},
		"nothing to end": {fields{"item_id": "tool:my/json", "resume_thread_id": "abc"}, true, "error", "not_found", ``},
	}
	eachWay(served(t), func(m *model) {
		for name, tt := range tests {
			answer, isError := m.call("execute", tt.give)
			text, _ := json.Marshal(answer)
			if isError != tt.isError || answer["status"] != tt.status || answer["error_type"] != tt.errorType || !strings.Contains(string(text), tt.holds) {
				m.Errorf("%s: isError is %t, got %s", name, isError, text)
			}
		}
	})
}

// TestServeAsync: a detached run answers with its id, and another call tells what became of it.
func TestServeAsync(t *testing.T) {
	g := served(t)
	m := overStdio(g, newEra)
	answer, isError := m.call("execute", fields{"item_id": "tool:my/json", "parameters": fields{"n": 7}, "async": true})
	id, _ := answer["thread_id"].(string)
	if isError || id == "" || answer["state"] != "running" {
		t.Fatalf("got %v", answer)
	}
	if out := g.rye("threads", "wait", id); out.code != 0 {
		t.Fatalf("threads wait: %+v", out)
	}
	answer, isError = m.call("execute", fields{"item_id": "tool:rye/core/processes/status", "parameters": fields{"run_id": id}})
	if text, _ := json.Marshal(answer); isError || !strings.Contains(string(text), `"completed"`) {
		t.Errorf("got %s", text)
	}
}

// TestServeProtocolErrors: what is wrong with the protocol is an error of the protocol, and what is wrong with a call is not.
func TestServeProtocolErrors(t *testing.T) {
	eachWay(served(t), func(m *model) {
		_, err := m.session.CallTool(context.Background(), m.params("exec", nil))
		if wire, ok := err.(*jsonrpc.Error); err == nil || ok && wire.Code != jsonrpc.CodeInvalidParams {
			m.Errorf("an unknown tool: %v", err)
		}
		if got := m.bash("echo still here"); got != "still here" {
			m.Errorf("got %q", got)
		}
	})
}

// TestServeParallel makes a hundred calls at once; each gets its own answer.
func TestServeParallel(t *testing.T) {
	eachWay(served(t), func(m *model) {
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				answer, _ := m.call("execute", fields{"item_id": "tool:my/json", "parameters": fields{"n": i}})
				data, _ := answer["data"].(fields)
				if fmt.Sprint(data["n"]) != fmt.Sprint(i) {
					m.Errorf("call %d: %v", i, answer)
				}
			})
		}
		all.Wait()
	})
}

// TestServeEnvironment: tools get the short environment, whatever that of the server is.
func TestServeEnvironment(t *testing.T) {
	g := newGround(t)
	g.write(".ai/tools/my/nosy.yaml", `version: "1.0.0"
tool_type: tool
executor_id: rye/core/primitives/execute
category: my
description: "Asks for what it must not have"
config: {command: env}
env_config: {pass: [RYE_MCP_TOKEN, ASKED_FOR]}
`)
	g.sign()
	eachWay(g, func(m *model) {
		for item, give := range map[string]fields{"tool:rye/bash": {"command": "env"}, "tool:my/nosy": {}} {
			answer, isError := m.call("execute", fields{"item_id": item, "parameters": give})
			text, _ := json.Marshal(answer)
			if isError || !strings.Contains(string(text), "HOME=") || strings.Contains(string(text), "canary") || strings.Contains(string(text), serveToken) {
				m.Errorf("%s: %s", item, text)
			}
			if asked := strings.Contains(string(text), "ASKED_FOR=yes"); asked != (item == "tool:my/nosy") {
				m.Errorf("%s has what it asked for: %t", item, asked)
			}
		}
	}, "SECRET_KEY=canary", "RYE_ENV=inherit", "ASKED_FOR=yes")
}

// TestServeMeta: the server says what it is, and how long its list is good for.
func TestServeMeta(t *testing.T) {
	eachWay(newGround(t), func(m *model) {
		info := m.session.InitializeResult()
		if info.ServerInfo.Name != "rye" || info.ServerInfo.Version != currentVersion() || info.Instructions == "" {
			m.Errorf("got %+v", info)
		}
		listed, err := m.session.ListTools(context.Background(), nil)
		if err != nil || listed.TTLMs <= 0 {
			m.Errorf("got %+v, %v", listed, err)
		}
		for _, tool := range listed.Tools {
			digest, _ := tool.Meta["rye/digest"].(string)
			if !strings.HasPrefix(digest, "sha256:") || tool.Title == "" || tool.OutputSchema == nil || tool.Annotations.ReadOnlyHint != (tool.Name == "fetch") {
				m.Errorf("%s: %+v", tool.Name, tool)
			}
		}
		if offered, err := json.Marshal(info.Capabilities); err != nil || strings.Contains(string(offered), "logging") {
			m.Errorf("the server offers logs: %s, %v", offered, err)
		}
	})
}
