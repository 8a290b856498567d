package mcp

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Every word of these definitions is in the context of a model all the time: they are as short as they can be understood.
const (
	aboutExecute = "Run an item: a signed tool, graph or directive. Find it and its parameters with fetch. " +
		"If the answer is your_directions, follow them."
	aboutFetch = "Find and read items. query with scope searches; item_id gives the text of one, which says what parameters it takes."
	aboutSign  = "Check an item that was written or changed, and sign it: what is not signed does not run."
)

// tools are rye's tools as clients see them.
func tools(askProject bool) (execute, fetch, sign *sdk.Tool) {
	project := text("Absolute path")
	if !askProject {
		project.Description = "Absolute path; default: the server's project"
	}
	number := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "number"} } // each its own: a schema is a tree
	execute = &sdk.Tool{
		Name: "execute", Title: "Run an item", Description: aboutExecute,
		Annotations: &sdk.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: new(true)},
		InputSchema: object(properties{
			"item_id":      text("As tool:rye/bash"),
			"project_path": project,
			"parameters":   anyObject("For the item"),
			"dry_run":      flag("Only check that it could run"),
			"target":       preset(text("local, remote or remote:NAME"), "local"),
			"thread":       preset(choice("fork: a directive runs in a model thread of its own", "inline", "fork"), "inline"),
			"async":        flag("Answer with a thread_id at once; then tool:rye/core/processes/status"),
			"model":        text("For fork"),
			"limit_overrides": {Type: "object", Description: "For fork", AdditionalProperties: nothing(), Properties: properties{
				"turns": number(), "tokens": number(), "spend": number(), "spawns": number(), "duration_seconds": number(), "depth": number(),
			}},
			"resume_thread_id": text("A graph's run to go on with"),
		}, needs(askProject, "item_id")...),
		OutputSchema: envelope(properties{"your_directions": {Type: "string"}, "thread_id": {Type: "string"}}),
	}
	fetch = &sdk.Tool{
		Name: "fetch", Title: "Find and read items", Description: aboutFetch,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)},
		InputSchema: object(properties{
			"item_id":      text("As tool:rye/bash"),
			"query":        text("Words, OR, NOT, \"a phrase\", begin*"),
			"scope":        text("tool, directive, knowledge or config; or a folder, as tool.rye.core.*"),
			"source":       choice("", "project", "user", "system", "local", "registry", "all"),
			"destination":  choice("Copy the item there", "project", "user"),
			"version":      text(""),
			"limit":        preset(&jsonschema.Schema{Type: "integer"}, 10),
			"project_path": project,
		}, needs(askProject)...),
		OutputSchema: envelope(properties{"content": {Type: "string"}, "results": {Type: "array"}, "total": {Type: "integer"}}),
	}
	sign = &sdk.Tool{
		Name: "sign", Title: "Sign an item", Description: aboutSign,
		Annotations: &sdk.ToolAnnotations{DestructiveHint: new(false), IdempotentHint: true, OpenWorldHint: new(false)},
		InputSchema: object(properties{
			"item_id":      text("As tool:my/x or tool:my/*"),
			"project_path": project,
			"source":       preset(choice("", "project", "user"), "project"),
			"parameters":   anyObject("check: true only checks"),
		}, needs(askProject, "item_id")...),
		OutputSchema: envelope(properties{"summary": {Type: "string"}, "results": {Type: "array"}}),
	}
	return execute, fetch, sign
}

type properties = map[string]*jsonschema.Schema

// needs adds the project to what a call must say, where no other is meant.
func needs(askProject bool, names ...string) []string {
	if askProject {
		names = append(names, "project_path")
	}
	return names
}

func object(p properties, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: p, Required: required, AdditionalProperties: nothing()}
}

// envelope is what is certain about an answer: each is a success or an error with its type.
func envelope(p properties) *jsonschema.Schema {
	p["status"], p["error"], p["error_type"] = text(""), text(""), text("")
	return &jsonschema.Schema{Type: "object", Properties: p}
}

func anyObject(about string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: about}
}

func nothing() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

func text(about string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: about}
}

func flag(about string) *jsonschema.Schema {
	return preset(&jsonschema.Schema{Type: "boolean", Description: about}, false)
}

func choice(about string, values ...any) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: about, Enum: values}
}

func preset(s *jsonschema.Schema, value any) *jsonschema.Schema {
	s.Default, _ = json.Marshal(value)
	return s
}
