package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// onlyTools answers requests for what rye's server does not offer as the protocol wants it for a capability that was not
// declared. The SDK would give empty lists.
func onlyTools(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		feature, _, _ := strings.Cut(method, "/")
		switch feature {
		case "prompts", "resources", "completion":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
		}
		return next(ctx, method, req)
	}
}
