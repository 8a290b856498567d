package item

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// WriteJSON writes the response as one line of JSON. The streams of a tool can be tens of megabytes: they are encoded
// piece by piece, so that memory stays near what they take themselves.
func (r *Response) WriteJSON(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	streams, big := r.Data.(*Streams)
	envelope := *r
	if big {
		envelope.Data = json.RawMessage("0")
	}
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&envelope); err != nil {
		return err
	}
	if !big {
		out.Write(doc.Bytes())
		return out.Flush()
	}
	// Quotes inside strings are escaped, so this can only be the key itself.
	before, after, _ := bytes.Cut(doc.Bytes(), []byte(`"data":0`))
	out.Write(before)
	out.WriteString(`"data":`)
	streams.write(out)
	out.Write(after)
	return out.Flush()
}

// write is the encoding that encoding/json would give.
func (s *Streams) write(out *bufio.Writer) {
	out.WriteByte('{')
	if s.Success != nil {
		fmt.Fprintf(out, `"success":%t,`, *s.Success)
	}
	if s.Output != "" {
		writeText(out, "output", s.Output)
	}
	writeText(out, "stdout", s.Stdout)
	writeText(out, "stderr", s.Stderr)
	fmt.Fprintf(out, `"return_code":%d,"exit_code":%d,"truncated":%t}`, s.ReturnCode, s.ExitCode, s.Truncated)
}

func writeText(out *bufio.Writer, name, text string) {
	fmt.Fprintf(out, `"%s":"`, name)
	const piece = 32 << 10
	for len(text) > 0 {
		n := min(piece, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		var doc bytes.Buffer
		enc := json.NewEncoder(&doc)
		enc.SetEscapeHTML(false)
		enc.Encode(text[:n]) // a string always encodes
		out.Write(bytes.TrimSuffix(bytes.TrimSuffix(doc.Bytes()[1:], []byte("\n")), []byte(`"`)))
		text = text[n:]
	}
	out.WriteString(`",`)
}
