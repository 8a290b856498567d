package engine

import (
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/runtime"
	"github.com/ryeos/rye/pkg/space"
)

// mcpTool is the file of a discovered tool.
type mcpTool struct {
	Version      string         `yaml:"version"`
	ToolType     string         `yaml:"tool_type"`
	ExecutorID   string         `yaml:"executor_id"`
	Category     string         `yaml:"category"`
	Description  string         `yaml:"description"`
	EnvConfig    *mcpToolEnv    `yaml:"env_config,omitempty"`
	Config       mcpToolConfig  `yaml:"config"`
	ConfigSchema map[string]any `yaml:"config_schema"`
}

// mcpToolEnv lets the variables that the server asks for through to it when the environment is minimal.
type mcpToolEnv struct {
	Pass []string `yaml:"pass"`
}

type mcpToolConfig struct {
	Server     string         `yaml:"server"`
	ToolName   string         `yaml:"tool_name"`
	Timeout    float64        `yaml:"timeout"` // later than those of the server itself, which know more
	Digest     string         `yaml:"digest"`
	Definition mcp.Definition `yaml:"definition"`
}

// write makes the item and signs it.
func (d *discovery) write(t *DiscoveredTool, id string, definition mcp.Definition) {
	data, err := yaml.Marshal(d.item(id, definition))
	rel := item.Tool.Dir() + "/" + id + ".yaml"
	if err == nil {
		err = space.MakeFolder(d.space.Root(), path.Dir(rel))
	}
	if err == nil {
		err = space.WriteFile(d.space.Root(), rel, data)
	}
	if err != nil {
		t.State, t.Problem = ToolFailed, err.Error()
		return
	}
	report, err := d.engine.Sign(SignRequest{Patterns: []string{t.ItemID}, Source: d.space.Label})
	switch {
	case err != nil:
		t.State, t.Problem = ToolFailed, err.Error()
	case report.Failed > 0:
		t.State, t.Problem = ToolFailed, strings.Join(append([]string{report.Results[0].Error}, report.Results[0].Issues...), ": ")
	}
}

func (d *discovery) item(id string, definition mcp.Definition) mcpTool {
	s := d.server
	file := mcpTool{
		Version: "1.0.0", ToolType: "mcp", ExecutorID: mcpStdioRuntime, Category: path.Dir(id),
		Description: strings.Join(strings.Fields(definition.Description()), " "),
		Config: mcpToolConfig{
			Server: mcpServers + "/" + s.Name, ToolName: definition.Name(), Digest: definition.Digest(), Definition: definition,
			Timeout: (2*s.StartTimeout + s.Timeout).Seconds() + 5,
		},
		ConfigSchema: parameterSchema(definition.InputSchema()),
	}
	if s.Remote() {
		file.ExecutorID = mcpHTTPRuntime
	}
	if names := s.Variables(); len(names) > 0 {
		file.EnvConfig = &mcpToolEnv{Pass: names}
	}
	return file
}

// parameterSchema is a server's schema as an item can have it. One that rye cannot check parameters against is replaced by
// one that takes everything: the server checks, too.
func parameterSchema(schema map[string]any) map[string]any {
	open := map[string]any{"type": "object"}
	if schema["type"] != nil && schema["type"] != "object" {
		return open
	}
	schema["type"] = "object"
	data, err := yaml.Marshal(map[string]any{"config_schema": schema})
	if err != nil {
		return open
	}
	meta, err := item.ParseMetadata(item.Tool, "schema.yaml", data)
	if err != nil || len(schemaIssues(meta)) > 0 {
		return open
	}
	if err := runtime.CheckSchema(meta); err != nil {
		return open
	}
	return schema
}

// schemaIssues are what keeps a schema from being signed.
func schemaIssues(meta *item.Metadata) []item.Issue {
	return slices.DeleteFunc(item.Validate(item.Ref{Kind: item.Tool, ID: "schema"}, "schema.yaml", meta), func(i item.Issue) bool {
		return !strings.Contains(i.Message, "config_schema")
	})
}
