package builtin

import "strings"

// contentLines cuts new content into lines. One final newline is the end of the last line, not another line, so "x" and
// "x\n" are the same line and "\n" is an empty one. Line ends are the file's, hence no \r of the caller's stays.
func contentLines(content string) []string {
	if content == "" {
		return nil
	}
	texts := strings.Split(strings.TrimSuffix(content, "\n"), "\n")
	for i, text := range texts {
		texts[i] = strings.TrimRight(text, "\r")
	}
	return texts
}

// splice builds the edited file and the index entries of its lines, empty for new ones. spans must be sorted and apart;
// going through them once gives the same as applying them bottom-up. New lines end like the lines they replace, and the
// file ends with or without a newline as before, except that an empty last line needs its newline to exist.
func splice(lines []line, ids []indexedLine, spans []span) (after []line, kept []indexedLine) {
	at := 0
	for _, s := range spans {
		after = append(after, lines[at:s.first]...)
		kept = append(kept, ids[at:s.first]...)
		end := lineEnd(lines, s.first)
		for _, text := range s.texts {
			after = append(after, line{text, end})
			kept = append(kept, indexedLine{})
		}
		at = s.last + 1
	}
	after = append(after, lines[at:]...)
	kept = append(kept, ids[at:]...)
	if n := len(after); n > 0 && lines[len(lines)-1].end == "" && after[n-1].text != "" {
		after[n-1].end = ""
	}
	return after, kept
}

// lineEnd is how line i ends, or the line before it if i is a last line without an end.
func lineEnd(lines []line, i int) string {
	for ; i >= 0; i-- {
		if lines[i].end != "" {
			return lines[i].end
		}
	}
	return "\n"
}
