// Package mcptest has the MCP servers that tests talk to: real ones from the npm registry, and one that does everything
// that a server must not do. It is imported by tests only.
package mcptest
