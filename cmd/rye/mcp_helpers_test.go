package main

import "github.com/ryeos/rye/internal/mcptest"

// mcp-hostile is an MCP server that misbehaves in the ways that its arguments name.
func init() { helpers["mcp-hostile"] = mcptest.Hostile }
