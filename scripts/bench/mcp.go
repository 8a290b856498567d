//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// mcpServer is the argument with which this program is an MCP server with one tool.
const mcpServer = "mcp-server"

// serveMCP is that server.
func serveMCP() error {
	type said struct {
		Text string `json:"text"`
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "echo", Description: "Gives a text back"},
		func(_ context.Context, _ *sdk.CallToolRequest, in said) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Text}}}, nil, nil
		})
	return server.Run(context.Background(), &sdk.StdioTransport{})
}

// way is one way to call the tool.
type way struct {
	name  string
	call  func() error
	times []time.Duration
}

func (v *way) median() time.Duration { return quantile(v.times, 50) }

// mcpTable calls one tool of one server in each way there is, in random order.
func (w *world) mcpTable(rounds int) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := w.configureMCP(self); err != nil {
		return err
	}
	defer func() {
		_, stopErr := w.output(w.rye, "mcp", "stop")
		err = errors.Join(err, stopErr)
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).
		Connect(context.Background(), &sdk.CommandTransport{Command: exec.Command(self, mcpServer)}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	eng, err := w.mcpEngine()
	if err != nil {
		return err
	}
	ways := []*way{
		{name: "empty Go binary (E)", call: w.process("", w.empty)},
		{name: "the SDK's own client, connected (S)", call: func() error {
			answer, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x"}})
			if err == nil && answer.IsError {
				err = errors.New("the tool failed")
			}
			return err
		}},
		{name: "Engine.Execute, warm", call: func() error {
			resp := eng.Execute(context.Background(), item.Request{Ref: "tool:mcp/bench/echo", Parameters: map[string]any{"text": "x"}}, nil, nil)
			if resp.Failed() {
				return errors.New(resp.Error)
			}
			return nil
		}},
		{name: "rye execute tool:mcp/bench/echo, warm", call: w.process("5m", w.rye, "execute", "tool:mcp/bench/echo", "--text", "x")},
		{name: "rye mcp call bench echo, warm", call: w.process("5m", w.rye, "mcp", "call", "bench", "echo", "--param", "text=x")},
		{name: "rye execute tool:mcp/bench/echo, cold", call: w.process("0", w.rye, "execute", "tool:mcp/bench/echo", "--text", "x")},
		{name: "rye mcp call bench echo, cold", call: w.process("0", w.rye, "mcp", "call", "bench", "echo", "--param", "text=x")},
	}
	if err := takeTurns(ways, rounds); err != nil {
		return err
	}
	showMCP(ways)
	return nil
}

func showMCP(ways []*way) {
	fmt.Println("| one call of an MCP tool | median | p10 | p90 |\n|---|---|---|---|")
	for _, v := range ways {
		fmt.Printf("| %s | %s | %s | %s |\n", v.name, ms(v.median()), ms(quantile(v.times, 10)), ms(quantile(v.times, 90)))
	}
	e, s, inEngine, execute := ways[0].median(), ways[1].median(), ways[2].median(), ways[3].median()
	fmt.Println("\n| figure | measured | must |\n|---|---|---|")
	fmt.Printf("| rye execute, warm − S | %s (%.2f E) | 10 ms |\n", ms(execute-s), ratio(execute-s, e))
	fmt.Printf("| Engine.Execute, warm − S | %s (%.2f E) | – |\n", ms(inEngine-s), ratio(inEngine-s, e))
	fmt.Printf("| rye execute, cold / warm | %.1f | – |\n\n", ratio(ways[5].median(), execute))
}

// takeTurns calls in every way once a round, in an order that changes each time. The first rounds start what is kept.
func takeTurns(ways []*way, rounds int) error {
	const warmUp = 5
	for round := range rounds + warmUp {
		for _, i := range rand.Perm(len(ways)) {
			start := time.Now()
			if err := ways[i].call(); err != nil {
				return fmt.Errorf("%s: %w", ways[i].name, err)
			}
			if round >= warmUp {
				ways[i].times = append(ways[i].times, time.Since(start))
			}
		}
	}
	return nil
}

// process runs a program, for which servers are kept for that long.
func (w *world) process(keep, name string, args ...string) func() error {
	return func() error {
		cmd := w.command(name, args...)
		cmd.Env = append(cmd.Env, "RYE_MCP_KEEP_ALIVE="+keep)
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		return cmd.Run()
	}
}

func (w *world) configureMCP(self string) error {
	folder := filepath.Join(w.project, ".ai", "config", "mcp", "servers")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	config := fmt.Sprintf("version: \"1.0.0\"\ncategory: mcp/servers\ncommand: %q\nargs: [%s]\n", self, mcpServer)
	if err := os.WriteFile(filepath.Join(folder, "bench.yaml"), []byte(config), 0o644); err != nil {
		return err
	}
	if _, err := w.output(w.rye, "sign", "config:mcp/servers/bench"); err != nil {
		return err
	}
	_, err := w.output(w.rye, "mcp", "discover", "bench")
	return err
}

func (w *world) mcpEngine() (*engine.Engine, error) {
	return engine.New(engine.Options{
		Project: w.project, User: w.home, System: rye.System(), Cache: filepath.Join(w.home, ".cache", "rye"), Binary: w.rye,
		Env: w.command("").Env, MCPKeepAlive: 5 * time.Minute,
	})
}
