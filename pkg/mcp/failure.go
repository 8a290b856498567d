package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/ryeos/rye/pkg/item"
)

// failure says what an error of the SDK means.
func (s *Session) failure(ctx context.Context, l *link, err error) error {
	var cause error
	if l.program != nil {
		cause = l.program.ended()
	} else {
		cause = l.remote.ended()
	}
	answered := answerOf(err)
	var told *item.Error
	switch {
	case errors.As(cause, &told):
	case ctx.Err() != nil && errors.As(context.Cause(ctx), &told):
	case ctx.Err() != nil:
		told = item.Errorf(item.TypeInterrupted, "interrupted: %w", context.Cause(ctx))
	case errors.As(err, &told):
	case answered != nil:
		return s.answered(answered)
	case l.remote != nil:
		told = l.remote.broken(err)
	default:
		told = item.Errorf(item.TypeUnavailable, "the MCP server %s: %w", s.server.Name, err)
	}
	e := *told
	e.Message = s.options.Redact(e.Message) + s.said(l)
	return &e
}

// rejected is the code by which the SDK says that a message did not reach the server.
const rejected = -32005

// answerOf is the error that the server itself answered with, nil if err is another.
func answerOf(err error) *jsonrpc.Error {
	var answered *jsonrpc.Error
	if errors.As(err, &answered) && answered.Code != rejected {
		return answered
	}
	return nil
}

// answered is an error that the server itself gave as its answer.
func (s *Session) answered(err *jsonrpc.Error) error {
	kind := item.TypeFailed
	if err.Code == jsonrpc.CodeInvalidParams {
		kind = item.TypeUsage
	}
	return item.Errorf(kind, "the MCP server %s: %s (code %d)", s.server.Name, Clean(s.options.Redact(err.Message)), err.Code)
}

// said is what the server wrote beside its messages: the end of its standard error, and the start of what was no message.
func (s *Session) said(l *link) string {
	p := l.program
	if p == nil || p.gone == nil {
		return ""
	}
	var text strings.Builder
	select {
	case <-p.gone: // only then all of it is there
		if stderr := strings.TrimSpace(s.options.Redact(p.result.Stderr.String())); stderr != "" {
			fmt.Fprintf(&text, "\nits standard error: %s", Clean(lastBytes(stderr, 2000)))
		}
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noisy > 0 {
		fmt.Fprintf(&text, "\non its standard output, %d bytes that are no MCP messages: %s", p.noisy, item.Quote(s.options.Redact(string(p.noise))))
	}
	return text.String()
}

// lastBytes is the end of a text, without the rest of a character that was cut.
func lastBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = text[len(text)-n:]
	for text != "" && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return "…" + text
}
