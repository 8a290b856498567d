package graph

import (
	"fmt"
	"io"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Progress writes one line to w for each step that is over, and one for the end of the run.
func Progress(w io.Writer, graphID string) func(Event) {
	return func(e Event) {
		switch e.Type {
		case eventStepCompleted, eventForeachCompleted:
			fmt.Fprintf(w, "[graph:%s] step %v/%v %s %s %.1fs%s\n", printable(graphID), e.Payload["step"], e.Payload["max_steps"],
				printable(e.Payload["node"]), icon(e.Payload["status"]), e.Payload["elapsed_s"], detail(e.Payload))
		case eventGraphCompleted, eventGraphError, eventGraphCancelled:
			fmt.Fprintf(w, "[graph:%s] %s %s after %v steps, %.1fs%s\n", printable(graphID), icon(e.Type), strings.TrimPrefix(e.Type, "graph_"),
				e.Payload["steps"], e.Payload["elapsed_s"], detail(e.Payload))
		case eventWarning:
			fmt.Fprintf(w, "[graph:%s] %s: %s\n", printable(graphID), printable(e.Payload["node"]), printable(e.Payload["message"]))
		}
	}
}

func icon(status any) string {
	switch status {
	case "error", eventGraphError:
		return "✗"
	case "running":
		return "..."
	case eventGraphCancelled:
		return "⏹"
	}
	return "✓"
}

// detail is what went wrong, or the keys of the state that were set.
func detail(payload map[string]any) string {
	if message, ok := payload["error"].(string); ok && message != "" {
		return " (" + printable(item.FirstLine(message)) + ")"
	}
	keys, _ := payload["keys"].([]string)
	if len(keys) == 0 {
		return ""
	}
	return " (+" + printable(strings.Join(keys, ", ")) + ")"
}

// printable is text from files and tools without what could steer a terminal.
func printable(v any) string {
	quoted := item.Quote(fmt.Sprint(v))
	return strings.TrimSuffix(strings.TrimPrefix(quoted, `"`), `"`)
}
