package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// TestInputRequired: an answer that is none is not taken for one: a server that asks back is refused, one that puts the call
// off is unavailable.
func TestInputRequired(t *testing.T) {
	for want, result := range map[item.ErrorType]string{
		item.TypePermission:  `{"resultType": "input_required", "inputRequests": {"q": {"method": "elicitation/create", "params": {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {}}}}}, "requestState": "x"}`,
		item.TypeUnavailable: `{"resultType": "input_required", "requestState": "x"}`,
	} {
		t.Run(string(want), func(t *testing.T) {
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var req struct {
					ID     json.RawMessage
					Method string
				}
				json.NewDecoder(r.Body).Decode(&req)
				answer := result
				if req.Method == "server/discover" {
					answer = `{"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}`
				}
				say(w, "application/json", fmt.Sprintf(`{"jsonrpc": "2.0", "id": %s, "result": %s}`, req.ID, answer))
			}))
			_, err := open(t, remoteServer(mcp.HTTP, url)).Call(t.Context(), "echo", echo("x"))
			mustFail(t, err, want)
		})
	}
}
