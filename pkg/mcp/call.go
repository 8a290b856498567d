package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ryeos/rye/pkg/item"
)

// Result is what a tool answered.
type Result struct {
	Content    []json.RawMessage // blocks as the protocol has them: text, image, audio, resource, resource_link
	Structured any               // the structured content, nil if there is none
	Parsed     any               // the one block of text as JSON, if it is that and nothing is structured
	Failed     bool              // the tool says that it failed
	Text       string            // all blocks of text
}

// Call has the server call a tool. A session that the server has forgotten is begun anew, once; a call that may have reached
// the tool is never repeated.
func (s *Session) Call(ctx context.Context, tool string, arguments map[string]any) (*Result, error) {
	for first := true; ; first = false {
		l, err := s.take(ctx)
		if err != nil {
			return nil, err
		}
		answer, err := s.call(ctx, l, tool, arguments)
		s.release(l)
		if first && errors.Is(err, sdk.ErrSessionMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return resultOf(answer)
	}
}

func (s *Session) call(ctx context.Context, l *link, tool string, arguments map[string]any) (*sdk.CallToolResult, error) {
	ctx, stop := s.limit(ctx, s.server.Timeout, "timeout")
	defer stop()
	if arguments == nil {
		arguments = map[string]any{} // servers take null for an error
	}
	answer, err := l.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	switch {
	case errors.Is(err, sdk.ErrSessionMissing):
		s.drop(l)
		return nil, err
	case err != nil:
		return nil, s.lost(ctx, l, err)
	case answer.InputRequests != nil:
		return nil, item.Errorf(item.TypePermission, "the MCP server %s asks back before it runs %s, and nobody is there to answer", s.server.Name, item.Quote(tool))
	}
	return answer, nil
}

// lost is the failure of a request. Unless the server itself answered with an error, the connection is not used again: who
// is late once may be stuck.
func (s *Session) lost(ctx context.Context, l *link, err error) error {
	if answerOf(err) == nil || l.over() {
		s.drop(l)
		s.settle(l)
	}
	return s.failure(ctx, l, err)
}

// settle ends a program that nobody else uses, so that it is known what it has said.
func (s *Session) settle(l *link) {
	s.mu.Lock()
	alone := l.users == 1 && l.program != nil
	s.mu.Unlock()
	if alone {
		l.program.Close()
	}
}

func resultOf(answer *sdk.CallToolResult) (*Result, error) {
	r := &Result{Structured: answer.StructuredContent, Failed: answer.IsError, Content: []json.RawMessage{}}
	var texts []string
	for _, block := range answer.Content {
		data, err := block.MarshalJSON()
		if err != nil {
			return nil, err
		}
		r.Content = append(r.Content, data)
		if text, ok := block.(*sdk.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	r.Text = strings.Join(texts, "\n")
	if r.Structured == nil && len(answer.Content) == 1 && len(texts) == 1 {
		r.Parsed = parsed(texts[0])
	}
	return r, nil
}

// parsed is the object or list that a text holds, nil for any other text.
func parsed(text string) any {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}
