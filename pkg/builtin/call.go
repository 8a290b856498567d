// Package builtin owns the functions behind rye's native file tools (spec/rye-core §9.1, rows rye/file-system/*). Each
// takes JSON parameters, gives a JSON result and reaches nothing outside one project folder.
package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds of one call.
const (
	maxParams = 64 << 20 // bytes of parameters
	maxFile   = 50 << 20 // bytes of a file that read, write and edit_lines handle
	maxLines  = 1_000_000
	maxOutput = 51200 // characters of text in a result
)

// Function is one native tool. params is the JSON object of parameters; the result marshals to a JSON object, the tool's
// data. The error's text is meant for the caller of the tool. A write of several files can give both: what was done, and
// an error that counts what was not.
type Function func(ctx context.Context, call Call, params json.RawMessage) (any, error)

// Functions are native tools by their names, such as "file-system/read".
type Functions map[string]Function

// Call is what a tool knows about its surroundings.
type Call struct {
	Project string // absolute path of the project folder
}

// Run reads the parameters from stdin, runs the named function and writes one JSON object and a newline to stdout: the result
// with "success":true, or {"success":false,"error":"…"}. Empty stdin means no parameters. The error is for an unknown name
// and for a stdout that cannot be written; a tool that fails is not an error here.
func (f Functions) Run(ctx context.Context, name string, call Call, stdin io.Reader, stdout io.Writer) error {
	run, ok := f[name]
	if !ok {
		return fmt.Errorf("no native tool is named %q; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(f)), ", "))
	}
	reply, err := encode(respond(ctx, run, call, stdin))
	if err != nil {
		reply, _ = encode(nil, failuref("The result cannot be written as JSON: %v", err))
	}
	if _, err := stdout.Write(append(reply, '\n')); err != nil {
		return fmt.Errorf("write the result of %s: %w", name, err)
	}
	return nil
}

func respond(ctx context.Context, run Function, call Call, stdin io.Reader) (any, error) {
	params, err := io.ReadAll(io.LimitReader(stdin, maxParams+1))
	if err != nil {
		return nil, failuref("Cannot read the parameters: %v", err)
	}
	if len(params) > maxParams {
		return nil, failuref("The parameters are larger than %d bytes", maxParams)
	}
	if !utf8.Valid(params) { // the decoder would replace such bytes, and another file would be meant
		return nil, failuref("The parameters are not UTF-8: names and texts with other bytes cannot be handled")
	}
	return run(ctx, call, params)
}

// encode joins the outcome and the result's own fields into one object.
func encode(result any, failed error) ([]byte, error) {
	outcome := map[string]any{"success": failed == nil}
	if failed != nil {
		outcome["error"] = failed.Error()
	}
	head, err := marshal(outcome)
	if err != nil || result == nil {
		return head, err
	}
	body, err := marshal(result)
	if err != nil {
		return nil, err
	}
	if len(body) < 2 || body[0] != '{' {
		return nil, fmt.Errorf("the result is not an object but %T", result)
	}
	if string(body) == "{}" {
		return head, nil
	}
	return append(append(head[:len(head)-1], ','), body[1:]...), nil
}

// marshal leaves <, > and & readable: results are source code more often than web pages.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// failure is an error whose text is the tool's answer, in the words of spec/rye-core §9.1.
type failure string

func (f failure) Error() string { return string(f) }

func failuref(format string, args ...any) failure { return failure(fmt.Sprintf(format, args...)) }
