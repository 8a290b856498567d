package graph

import (
	"maps"

	"github.com/ryeos/rye/pkg/item"
)

// envelopeKeys are those of a response that say nothing about the result.
var envelopeKeys = []string{"chain", "metadata", "path", "source", "resolved_env_keys"}

// unwrap takes the result out of a response (spec/rye-agent §3.6): `data` if that is a mapping, else the response itself.
// An error of either shows as `status: error`.
func unwrap(response any) map[string]any {
	envelope, ok := response.(map[string]any)
	switch {
	case response == nil:
		return map[string]any{}
	case !ok:
		return map[string]any{"result": response}
	}
	result, inner := envelope["data"].(map[string]any)
	if !inner {
		result = envelope
	}
	result = maps.Clone(result)
	for _, key := range envelopeKeys {
		delete(result, key)
	}
	if envelope["status"] == "error" || result["success"] == false {
		result["status"] = "error"
		if _, has := result["error"]; !has && envelope["error"] != nil {
			result["error"] = envelope["error"]
		}
	}
	return result
}

func isError(result map[string]any) bool { return result["status"] == "error" }

// errorResult is the result of an action that could not be executed.
func errorResult(err error) map[string]any {
	return map[string]any{"status": "error", "error": item.CleanText(err.Error()), "error_type": string(item.TypeOf(err))}
}

// errorMessage is what an error says, in whatever way.
func errorMessage(result map[string]any) string {
	for _, key := range []string{"error", "message", "stderr"} {
		switch v := result[key].(type) {
		case string:
			if v != "" {
				return v
			}
		case map[string]any:
			if s, ok := v["message"].(string); ok && s != "" {
				return s
			}
		}
	}
	return "the action failed without a message"
}
