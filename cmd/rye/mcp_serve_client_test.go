//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The protocol before and since it has no sessions.
const (
	oldEra = "2025-11-25"
	newEra = "2026-07-28"
)

// serveToken is the token of servers that tests start.
const serveToken = "a-token-that-only-tests-know"

// model is a client of `rye mcp serve`.
type model struct {
	*ground
	session *sdk.ClientSession
	server  *exec.Cmd
	hear    func(*sdk.ProgressNotificationParams) // is told of progress
}

// eachWay runs a test over each transport, in each era of the protocol.
func eachWay(g *ground, test func(m *model), env ...string) {
	for _, era := range []string{oldEra, newEra} {
		for transport, connect := range map[string]func(*ground, string, ...string) *model{"stdio": overStdio, "http": overHTTP} {
			g.TB.(*testing.T).Run(transport+"/"+era, func(t *testing.T) {
				t.Parallel()
				test(connect(&ground{t, g.project, g.home}, era, env...))
			})
		}
	}
}

// overStdio starts a server and talks to it on its streams; env is added to its environment.
func overStdio(g *ground, era string, env ...string) *model {
	g.Helper()
	m := &model{ground: g, server: g.command("mcp", "serve")}
	m.server.Env = append(m.server.Env, env...)
	m.connect(era, &sdk.CommandTransport{Command: m.server})
	return m
}

// overHTTP starts a server on any port and talks to it there.
func overHTTP(g *ground, era string, env ...string) *model {
	g.Helper()
	m := &model{ground: g}
	url := m.listen(env...)
	m.connect(era, &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: bearer(serveToken)})
	return m
}

// listen starts a server that ends with the test, and gives its URL.
func (m *model) listen(env ...string) string {
	m.Helper()
	m.server = m.command("-o", "json", "mcp", "serve", "--http", "127.0.0.1:0")
	m.server.Env = append(append(m.server.Env, "RYE_MCP_TOKEN="+serveToken), env...)
	stdout, err := m.server.StdoutPipe()
	if err != nil {
		m.Fatal(err)
	}
	if err := m.server.Start(); err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() {
		m.server.Process.Signal(syscall.SIGTERM)
		if err := m.server.Wait(); err != nil {
			m.Errorf("the server left with %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	var said struct{ URL string }
	if err == nil {
		err = json.Unmarshal([]byte(line), &said)
	}
	if err != nil {
		m.Fatalf("the server did not say where it is: %q, %v", line, err)
	}
	return said.URL
}

func (m *model) connect(era string, transport sdk.Transport) {
	m.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			m.hear(req.Params)
		},
	})
	session, err := client.Connect(context.Background(), transport, &sdk.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		m.Fatal(err)
	}
	m.session = session
	m.Cleanup(func() { session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != era {
		m.Fatalf("the protocol is %s, want %s", got, era)
	}
}

// bearer sends a token with every request.
func bearer(token string) *http.Client {
	return &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
		return http.DefaultTransport.RoundTrip(r)
	})}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type fields = map[string]any

// call calls a tool about the project, and gives what it answers as a value.
func (m *model) call(tool string, arguments fields) (answer fields, isError bool) {
	m.Helper()
	result, err := m.session.CallTool(context.Background(), m.params(tool, arguments))
	if err != nil {
		m.Fatalf("%s %v: %v", tool, arguments, err)
	}
	return m.read(result), result.IsError
}

func (m *model) params(tool string, arguments fields) *sdk.CallToolParams {
	all := fields{"project_path": m.project}
	for name, value := range arguments {
		all[name] = value
	}
	return &sdk.CallToolParams{Name: tool, Arguments: all}
}

// read requires that a result says the same to programs and to models. Numbers keep their digits.
func (m *model) read(result *sdk.CallToolResult) (answer fields) {
	m.Helper()
	if len(result.Content) != 1 {
		m.Fatalf("got %d blocks", len(result.Content))
	}
	text := result.Content[0].(*sdk.TextContent).Text
	var plain any
	if err := json.Unmarshal([]byte(text), &plain); err != nil || !reflect.DeepEqual(plain, result.StructuredContent) {
		m.Errorf("the text says %s\nthe value is %v", text, result.StructuredContent)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&answer); err != nil {
		m.Fatal(err)
	}
	return answer
}

// bash runs a command and gives what it printed.
func (m *model) bash(command string) string {
	m.Helper()
	answer, isError := m.call("execute", fields{"item_id": "tool:rye/bash", "parameters": fields{"command": command}})
	data, _ := answer["data"].(fields)
	stdout, ok := data["stdout"].(string)
	if isError || !ok {
		m.Fatalf("%s: %v", command, answer)
	}
	return strings.TrimSpace(stdout)
}
