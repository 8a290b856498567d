package main

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ryeos/rye/internal/mcptest"
	"github.com/ryeos/rye/pkg/keeper"
)

// mcp-hostile is an MCP server that misbehaves in the ways that its arguments name.
func init() { helpers["mcp-hostile"] = mcptest.Hostile }

// mcp-authority FILE LIFE is an MCP server that wants a sign-in, mcp-control FILE VERB tells it what to do, and sign-in COMMAND…
// is a person with a browser.
func init() {
	helpers["mcp-authority"], helpers["mcp-control"] = mcptest.AuthorityProgram, mcptest.AuthorityControl
	helpers["sign-in"] = mcptest.SignIn
}

// stopKept ends what a script that failed half-way has had kept.
func stopKept(folder string) {
	for _, kept := range keeper.List(context.Background(), folder) {
		keeper.Stop(context.Background(), kept)
	}
}

// cmdWaitGone: waitgone FILE… waits until the processes whose ids the files hold have ended.
func cmdWaitGone(ts *testscript.TestScript, neg bool, args []string) {
	deadline := time.Now().Add(30 * time.Second)
	for _, name := range args {
		for _, field := range strings.Fields(ts.ReadFile(name)) {
			pid, err := strconv.Atoi(field)
			ts.Check(err)
			for alive(pid) {
				if time.Now().After(deadline) {
					ts.Fatalf("process %d of %s has not ended", pid, name)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
	}
}

var duration = regexp.MustCompile(`"duration_ms":[0-9]+`)

// cmdTimeless: timeless FILE… takes out of responses how long they took.
func cmdTimeless(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text := duration.ReplaceAllString(ts.ReadFile(name), `"duration_ms":0`)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}
