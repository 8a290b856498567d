package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/ryeos/rye/pkg/item"
)

// output receives the program's standard output.
type output struct{ *program }

// Write takes messages apart. Its error ends the program.
func (o output) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		part := rest
		if end >= 0 {
			part = rest[:end]
		}
		if len(o.line)+len(part) > o.maxMessage {
			return 0, o.abort(item.Errorf(item.TypeLimit, "the MCP server %s sent a message of more than %d bytes", o.name, o.maxMessage).
				Hint("raise max_message in config:%s", serversFolder+o.name))
		}
		o.line = append(o.line, part...)
		if end < 0 {
			break
		}
		rest = rest[end+1:]
		if err := o.message(bytes.TrimSpace(o.line)); err != nil {
			return 0, err
		}
		o.line = slices.Delete(o.line, 0, len(o.line))
	}
	return len(data), nil
}

// message passes one line on, or several messages of a batch as the protocol once had them.
func (o output) message(line []byte) error {
	if len(line) == 0 {
		return nil
	}
	batch := []json.RawMessage{line}
	if line[0] == '[' && json.Unmarshal(line, &batch) != nil {
		return o.note(line)
	}
	for _, data := range batch {
		msg, err := jsonrpc.DecodeMessage(data)
		if err != nil {
			return o.note(data)
		}
		if req, ok := msg.(*jsonrpc.Request); ok && !req.IsCall() {
			if req.Method == toolsChanged {
				o.changed.Store(true)
			}
			continue // nobody here waits for what a server just wants to say, however often it does
		}
		o.deliver(msg)
	}
	return nil
}

// note keeps a little of what is no message, for the error that may follow.
func (o output) note(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.noisy += len(line) + 1
	o.noise = append(o.noise, line[:min(len(line), keptNoise-len(o.noise))]...)
	if o.noisy > mostNoise && o.cause == nil {
		o.cause = item.Errorf(item.TypeUnavailable, "the MCP server %s does not speak MCP on its standard output", o.name)
	}
	return o.cause
}

// input is what the program reads.
type input struct{ *program }

func (i input) Read(buf []byte) (int, error) {
	if len(i.rest) == 0 {
		select {
		case i.rest = <-i.outgoing:
		case <-i.closing:
			return 0, io.EOF
		case <-i.gone:
			return 0, io.EOF
		}
	}
	n := copy(buf, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}
