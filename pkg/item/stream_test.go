package item

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// WriteJSON must give what encoding/json gives, whatever the streams hold and wherever the pieces are cut.
func TestWriteJSONEqualsEncodingJSON(t *testing.T) {
	yes := true
	long := strings.Repeat("añ€😀\"\\\n<&>\x00\u2028", 9000)
	for name, data := range map[string]any{
		"none":    nil,
		"object":  json.RawMessage(`{"a":[1,"<"]}`),
		"empty":   &Streams{},
		"short":   &Streams{Stdout: `,"data":0`, Stderr: "e", ReturnCode: -1, ExitCode: -1},
		"long":    &Streams{Success: &yes, Output: long, Stdout: long[1:], Stderr: long[2:], Truncated: true},
		"invalid": &Streams{Stdout: CleanText("a\xffb")},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Response{Status: "success", Error: `,"data":0,`, ItemID: "tool:x", Data: data, Chain: []string{"x"}, Metadata: &Facts{}}
			var got, want bytes.Buffer
			if err := r.WriteJSON(&got); err != nil {
				t.Fatal(err)
			}
			enc := json.NewEncoder(&want)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(r); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("got  %.300q\nwant %.300q", got.Bytes(), want.Bytes())
			}
		})
	}
}
