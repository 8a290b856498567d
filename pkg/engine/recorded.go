package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/redact"
)

// recordedLength is how much text of a stream the registry keeps, in bytes: enough to see what it was. The log has the rest.
const recordedLength = 1 << 20

// recordable is a response without secrets, nil if nothing is left of it that can be read.
func recordable(resp *item.Response, secrets *redact.Redactor) json.RawMessage {
	if streams, ok := resp.Data.(*item.Streams); ok {
		short := *resp
		short.Data = shortened(*streams, secrets)
		resp = &short
	}
	var doc bytes.Buffer
	if err := resp.WriteJSON(&doc); err != nil {
		return nil
	}
	text := secrets.Text(strings.TrimSpace(doc.String()))
	if !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// shortened are streams with the start and the end of what is too long to be recorded. Secrets are taken out before, of
// which a part could stay.
func shortened(s item.Streams, secrets *redact.Redactor) *item.Streams {
	for _, text := range []*string{&s.Stdout, &s.Stderr, &s.Output} {
		if length := len(*text); length > recordedLength {
			if *text = secrets.Text(*text); len(*text) <= recordedLength {
				continue
			}
			head, tail := (*text)[:recordedLength/2], (*text)[len(*text)-recordedLength/2:]
			*text = strings.ToValidUTF8(head, "") + fmt.Sprintf("\n... [%d of %d bytes recorded, see the logs of the thread]\n", recordedLength, length) +
				strings.ToValidUTF8(tail, "")
			s.Truncated = true
		}
	}
	return &s
}
