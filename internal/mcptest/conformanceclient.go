package mcptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// ConformanceClient is a program: the client that the conformance suite tests. It does what a user of rye does: it makes a
// project, configures the server whose address is its last argument, has rye discover the server's tools and executes each.
func ConformanceClient() {
	c := &conformanceClient{}
	if err := c.run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// suiteItems is the folder of the items that rye makes of the suite's tools.
const suiteItems = ".ai/tools/mcp/suite"

type conformanceClient struct {
	dir string // the project
}

// toolCall is a call that a scenario wants.
type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

func (c *conformanceClient) run(url string) error {
	home, err := os.MkdirTemp("", "rye-conformance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	c.dir = filepath.Join(home, "project")
	for name, value := range map[string]string{"HOME": home, "XDG_CACHE_HOME": filepath.Join(home, "cache"), "XDG_CONFIG_HOME": home} {
		os.Setenv(name, value)
	}
	servers := filepath.Join(c.dir, ".ai", "config", "mcp", "servers")
	if err := os.MkdirAll(servers, 0o755); err != nil {
		return err
	}
	config := fmt.Sprintf("version: \"1.0.0\"\ncategory: mcp/servers\ntransport: http\nurl: %s\ntimeout: 10\nstart_timeout: 10\n", strconv.Quote(url))
	oauth, err := oauthConfig()
	if err != nil {
		return err
	}
	config += oauth
	if err := os.WriteFile(filepath.Join(servers, "suite.yaml"), []byte(config), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "--yes"}, {"sign", "config:mcp/servers/suite"}, {"mcp", "discover", "suite"}} {
		if err := c.rye(nil, args...); err != nil {
			return err
		}
	}
	return c.callTools()
}

// callTools makes the calls that the scenario names, or else calls every tool. One that fails does not stop the others.
func (c *conformanceClient) callTools() error {
	var wanted struct {
		ToolCalls []toolCall `json:"toolCalls"`
	}
	if given := os.Getenv("MCP_CONFORMANCE_CONTEXT"); given != "" {
		if err := json.Unmarshal([]byte(given), &wanted); err != nil {
			return err
		}
	}
	var failures []error
	for _, call := range wanted.ToolCalls { // also with arguments that are against the tool's schema, as execute would say
		failures = append(failures, c.rye(call.Arguments, "mcp", "call", "suite", call.Name, "--params", "-"))
	}
	if wanted.ToolCalls != nil {
		return errors.Join(failures...)
	}
	calls, err := c.everyTool()
	for _, call := range calls {
		failures = append(failures, c.rye(call.Arguments, "execute", "tool:mcp/suite/"+call.Name, "--params", "-"))
	}
	return errors.Join(append(failures, err)...)
}

// everyTool is a call of each discovered tool, with arguments that its schema asks for.
func (c *conformanceClient) everyTool() ([]toolCall, error) {
	files, err := filepath.Glob(filepath.Join(c.dir, suiteItems, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var calls []toolCall
	for _, file := range files {
		name, schema, err := readItem(file)
		if err != nil {
			return nil, err
		}
		if os.Getenv("MCP_CONFORMANCE_SCENARIO") == "json-schema-ref-no-deref" {
			continue // rye executes no tool whose schema is partly elsewhere; the scenario wants it listed only
		}
		arguments := exampleArguments(schema)
		if name == "json_schema_echo" { // wants to see what the client makes of another tool's schema
			if _, arguments["schema"], err = readItem(filepath.Join(c.dir, suiteItems, "json_schema_2020_12_tool.yaml")); err != nil {
				return nil, err
			}
		}
		calls = append(calls, toolCall{name, arguments})
	}
	return calls, nil
}

// readItem reads a tool's name and input schema as its item pins them.
func readItem(file string) (string, map[string]any, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	var tool struct {
		Config struct {
			ToolName   string `yaml:"tool_name"`
			Definition struct {
				InputSchema map[string]any `yaml:"inputSchema"`
			}
		}
	}
	err = yaml.Unmarshal(data, &tool)
	return tool.Config.ToolName, tool.Config.Definition.InputSchema, err
}

func exampleArguments(schema map[string]any) map[string]any {
	arguments := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		property, _ := p.(map[string]any)
		if ref, ok := property["$ref"].(string); ok {
			definitions, _ := schema["$defs"].(map[string]any)
			property, _ = definitions[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		switch property["type"] {
		case "number", "integer":
			arguments[name] = 7
		case "string":
			arguments[name] = "text"
			if choices, ok := property["enum"].([]any); ok {
				arguments[name] = choices[0]
			}
		case "boolean":
			arguments[name] = true
		}
	}
	return arguments
}
