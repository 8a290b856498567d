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
	return s.CallIf(ctx, tool, arguments, nil)
}

// CallIf is Call, unless accept, which may be nil, has something against the tools that the server offers. It is asked
// about the same connection that the call then takes. The arguments are an object.
func (s *Session) CallIf(ctx context.Context, tool string, arguments any, accept func(offered []Definition) error) (*Result, error) {
	given, err := json.Marshal(arguments)
	if err != nil {
		return nil, item.Usagef("the arguments cannot be written as JSON: %w", err)
	}
	if string(given) == "null" {
		given = []byte("{}") // servers take null for an error
	}
	for first := true; ; first = false {
		l, err := s.take(ctx)
		if err != nil {
			return nil, err
		}
		answer, err := s.callIf(ctx, l, tool, given, accept)
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

func (s *Session) callIf(ctx context.Context, l *link, tool string, arguments json.RawMessage, accept func([]Definition) error) (*sdk.CallToolResult, error) {
	if accept != nil {
		offered, err := s.offered(ctx, l)
		if err == nil {
			err = accept(offered)
		}
		if err != nil {
			return nil, err
		}
	}
	return s.call(ctx, l, tool, arguments)
}

func (s *Session) call(ctx context.Context, l *link, tool string, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	asked := ctx
	ctx, stop := s.limit(ctx, s.server.Timeout, "timeout")
	defer stop()
	answer, err := l.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	switch {
	case errors.Is(err, sdk.ErrSessionMissing):
		s.drop(l)
		return nil, err
	case err != nil && s.options.Kept && asked.Err() != nil && !l.over():
		s.abandon(l)
		return nil, s.failure(ctx, l, err)
	case err != nil:
		return nil, s.lost(ctx, l, err)
	case answer.NeedsInput() && len(answer.InputRequests) == 0:
		return nil, item.Errorf(item.TypeUnavailable, "the MCP server %s puts the call of %s off", s.server.Name, item.Quote(tool)).Hint("try again later")
	case answer.NeedsInput() || answer.InputRequests != nil:
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
