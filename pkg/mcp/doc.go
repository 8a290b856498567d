// Package mcp talks to MCP servers: it starts a local one or connects to a remote one, lists its tools and calls them. It
// speaks both eras of the protocol, trusts nothing that a server says, and leaves no process of a server behind.
package mcp
