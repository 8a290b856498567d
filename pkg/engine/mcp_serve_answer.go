package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// answer is a document for a model: the same that the command line gives, or its most telling parts if it is long.
func (s *mcpItems) answer(v any, failed bool) mcp.Answer {
	var doc bytes.Buffer
	var err error
	if resp, ok := v.(*item.Response); ok {
		err = resp.WriteJSON(&doc)
	} else {
		enc := json.NewEncoder(&doc)
		enc.SetEscapeHTML(false)
		err = enc.Encode(v)
	}
	if err != nil {
		return mcp.ErrorAnswer("", err)
	}
	data, err := shortenedDocument(bytes.TrimSpace(doc.Bytes()), s.serve.MaxResult)
	if err != nil {
		return mcp.ErrorAnswer("", err)
	}
	return mcp.Answer{Document: data, Failed: failed}
}

const (
	// shortest is what is left of a text at least, in bytes, and fewest how many elements of a list.
	shortest = 200
	fewest   = 3
)

// shortenedDocument is a JSON object that takes up no more than so many bytes: its long texts lose their middle, its long
// lists their end. It says so itself.
func shortenedDocument(doc []byte, most int) ([]byte, error) {
	if len(doc) <= most {
		return doc, nil
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var whole map[string]any
	if err := dec.Decode(&whole); err != nil {
		return nil, err
	}
	whole["cut"] = fmt.Sprintf("This answer had %d bytes and was cut. Ask for less; or run it with async, then rye threads logs shows all.", len(doc))
	for text, list := most/2, max(most/64, fewest); ; text, list = max(text/2, shortest), max(list/2, fewest) {
		var short bytes.Buffer
		enc := json.NewEncoder(&short)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(cutValue(whole, text, list)); err != nil {
			return nil, err
		}
		if short.Len() <= most {
			return bytes.TrimSpace(short.Bytes()), nil
		}
		if text == shortest && list == fewest { // a thing of many small parts
			return json.Marshal(map[string]any{"status": whole["status"], "cut": whole["cut"], "start": cutText(string(doc), most/2)})
		}
	}
}

func cutValue(value any, text, list int) any {
	switch v := value.(type) {
	case string:
		return cutText(v, text)
	case []any:
		kept := make([]any, 0, min(len(v), list+1))
		for _, e := range v[:min(len(v), list)] {
			kept = append(kept, cutValue(e, text, list))
		}
		if len(v) > list {
			kept = append(kept, fmt.Sprintf("… %d more", len(v)-list))
		}
		return kept
	case map[string]any:
		cut := make(map[string]any, len(v))
		for key, e := range v {
			cut[key] = cutValue(e, text, list)
		}
		return cut
	}
	return value
}

// cutText keeps the start and the end of a text: the end of an output is where errors are.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := text[:most/2], text[len(text)-most/2:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n… %d bytes left out …\n", len(text)-most) + strings.ToValidUTF8(tail, "")
}
