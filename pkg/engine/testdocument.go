package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// hiddenFields of a tool's data belong to envelopes, not to results; they can be asserted as data.path and so on.
var hiddenFields = []string{"chain", "metadata", "path", "source", "resolved_env_keys"}

// testDocument is what the assertions of a test look at (spec/rye-core §9.4): how the run ended, the tool's data, and the
// fields of that. A run that failed is no success, whatever its data says.
func testDocument(resp *item.Response) map[string]any {
	data := plainData(resp.Data)
	document := map[string]any{"data": data}
	if resp.Error != "" {
		document["error"], document["error_type"] = resp.Error, string(resp.ErrorType)
	}
	if resp.Metadata != nil {
		document["duration_ms"] = resp.Metadata.DurationMS
	}
	fields, ok := data.(map[string]any)
	if !ok && data != nil {
		fields = map[string]any{"result": data}
	}
	for name, v := range fields {
		if !slices.Contains(hiddenFields, name) {
			document[name] = v
		}
	}
	document["success"] = !resp.Failed()
	return document
}

// plainData is a tool's data as maps and lists.
func plainData(data any) any {
	encoded, err := json.Marshal(data)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var plain any
	if decoder.Decode(&plain) != nil {
		return nil
	}
	return plain
}

// maxExcerpt bounds a value in a report of tests, in bytes of its text: thousands of tests may each print megabytes.
const maxExcerpt = 4096

// excerpt is a value that may be shown, or the start of its text.
func excerpt(v any) any {
	if text := template.String(v); len(text) > maxExcerpt {
		return cut(text, maxExcerpt)
	}
	return v
}

// excerptOf is a response with the start of each field of its data.
func excerptOf(resp *item.Response, document map[string]any) *item.Response {
	short := *resp
	short.Error, short.Data = cut(resp.Error, maxExcerpt), excerpt(document["data"])
	if fields, ok := document["data"].(map[string]any); ok && len(fields) <= 100 {
		fields = maps.Clone(fields)
		for name, v := range fields {
			fields[name] = excerpt(v)
		}
		short.Data = fields
	}
	return &short
}

// cut shortens a text to size bytes, and says how long it was.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:size], ""), len(text))
}
