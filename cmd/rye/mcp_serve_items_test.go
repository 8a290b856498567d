//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/mcp"
)

// TestServeFetch: search and read what there is, also with the default limit beside an id.
func TestServeFetch(t *testing.T) {
	eachWay(served(t), func(m *model) {
		found, isError := m.call("fetch", fields{"query": "tool", "scope": "tool.my.*", "limit": 2})
		if isError || len(found["results"].([]any)) != 2 || fmt.Sprint(found["total"]) != "4" {
			m.Errorf("a search: %v", found)
		}
		one, isError := m.call("fetch", fields{"item_id": "tool:my/json", "limit": 10})
		if content, _ := one["content"].(string); isError || !strings.Contains(content, "CONFIG_SCHEMA") || one["source"] != "project" {
			m.Errorf("an item: %v", one)
		}
		for name, tt := range map[string]struct {
			give      fields
			errorType string
		}{
			"unsigned":    {fields{"item_id": "tool:my/unsigned"}, "integrity"},
			"missing":     {fields{"item_id": "tool:my/none"}, "not_found"},
			"both":        {fields{"item_id": "tool:my/json", "query": "x"}, "usage"},
			"neither":     {fields{}, "usage"},
			"no scope":    {fields{"query": "x"}, "usage"},
			"registry":    {fields{"item_id": "tool:my/json", "source": "registry"}, "unavailable"},
			"destination": {fields{"item_id": "tool:my/json", "destination": "user"}, "unavailable"},
			"version":     {fields{"item_id": "tool:my/json", "version": "1.0.0"}, "unavailable"},
			"limit":       {fields{"query": "x", "scope": "tool", "limit": 1.5}, "usage"},
		} {
			if answer, isError := m.call("fetch", tt.give); !isError || answer["error_type"] != tt.errorType {
				m.Errorf("%s: %v", name, answer)
			}
		}
	})
}

// TestServeSign: what was signed runs at the next call. Files that are no items are out of reach.
func TestServeSign(t *testing.T) {
	m := overStdio(served(t), newEra)
	for _, id := range []string{"my/unsigned", "/etc/passwd", m.write("loose.sh", "true"), "tool:my/none", "config:../x"} {
		if answer, isError := m.call("sign", fields{"item_id": id}); !isError {
			t.Errorf("%s was signed: %v", id, answer)
		}
	}
	checked, isError := m.call("sign", fields{"item_id": "tool:my/unsigned", "parameters": fields{"check": true}})
	if !isError || !strings.Contains(fmt.Sprint(checked), "needs_signing") {
		t.Errorf("a check: %v", checked)
	}
	if answer, isError := m.call("sign", fields{"item_id": "tool:my/unsigned"}); isError || answer["summary"] != "1/1 signed" {
		t.Fatalf("got %v", answer)
	}
	if answer, isError := m.call("execute", fields{"item_id": "tool:my/unsigned"}); isError {
		t.Errorf("got %v", answer)
	}
}

// TestServeListCosts: a thousand items cost a model no more than three do, about as much as a page of text.
func TestServeListCosts(t *testing.T) {
	g := newGround(t)
	for i := range 1000 {
		g.write(fmt.Sprintf(".ai/tools/many/t%d.yaml", i), fmt.Sprintf(`version: "1.0.0"
tool_type: tool
executor_id: rye/core/primitives/execute
category: many
description: "Does the %dth thing that somebody may want to have done"
config: {command: "true"}
`, i))
	}
	g.sign()
	const most = 1200
	eachWay(g, func(m *model) {
		var lists [][]byte
		for range 2 {
			listed, err := m.session.ListTools(context.Background(), nil)
			if err != nil {
				m.Fatal(err)
			}
			data, _ := json.Marshal(listed.Tools)
			lists = append(lists, data)
		}
		var tools []mcp.Definition
		if err := json.Unmarshal(lists[0], &tools); err != nil {
			m.Fatal(err)
		}
		tokens := 0
		for _, d := range tools {
			tokens += d.Tokens()
		}
		if whole := len(lists[0]) / 4; len(tools) != 3 || tokens > most || whole > most {
			m.Errorf("%d tools take %d tokens, all that is sent %d; want at most %d", len(tools), tokens, whole, most)
		}
		if !slices.Equal(lists[0], lists[1]) {
			m.Error("the list is another one at the second look")
		}
		if found, _ := m.call("fetch", fields{"query": "517th thing", "scope": "tool"}); !strings.Contains(fmt.Sprint(found), "tool:many/t517") {
			m.Errorf("the tool was not found: %v", found)
		}
	})
}
