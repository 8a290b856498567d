package builtin

import (
	"bytes"
	"strings"
)

// line is one line of a file. end is "\n", "\r\n", or "" for a last line without one; text never holds it.
type line struct{ text, end string }

// splitLines cuts a text file into lines; joinLines of the result is data again.
func splitLines(data []byte) []line {
	lines := make([]line, 0, bytes.Count(data, []byte("\n"))+1)
	for text := range strings.Lines(string(data)) {
		end := ""
		switch {
		case strings.HasSuffix(text, "\r\n"):
			end = "\r\n"
		case strings.HasSuffix(text, "\n"):
			end = "\n"
		}
		lines = append(lines, line{text[:len(text)-len(end)], end})
	}
	return lines
}

func joinLines(lines []line) []byte {
	var out bytes.Buffer
	for _, l := range lines {
		out.WriteString(l.text)
		out.WriteString(l.end)
	}
	return out.Bytes()
}

// readText reads a file that has lines. rel is a resolved path.
func (w *workspace) readText(rel string, limit int64) (*textFile, error) {
	data, info, err := w.readFile(rel, limit)
	if err != nil {
		return nil, err
	}
	if isBinary(data) {
		return nil, failuref("Cannot read %s: binary file", printable(rel))
	}
	if n := bytes.Count(data, []byte("\n")); n > maxLines {
		return nil, failuref("File has too many lines: %s (%d, at most %d). Use a shell tool to cut out the part you need",
			printable(rel), n, maxLines)
	}
	return &textFile{rel: rel, data: data, lines: splitLines(data), modified: info.ModTime()}, nil
}

func isBinary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 }
