package integrity

import "bytes"

// byteOrderMarks are those of UTF-8 and of both orders of UTF-16.
var byteOrderMarks = [][]byte{{0xef, 0xbb, 0xbf}, {0xff, 0xfe}, {0xfe, 0xff}}

func hasBOM(data []byte) bool {
	for _, mark := range byteOrderMarks {
		if bytes.HasPrefix(data, mark) {
			return true
		}
	}
	return false
}

// cutLine splits data after its first LF, which stays with the line.
func cutLine(data []byte) (line, rest []byte) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return data[:i+1], data[i+1:]
	}
	return data, nil
}

// shebang is the length of a first line that starts with #!, or 0.
func shebang(data []byte) int {
	if !bytes.HasPrefix(data, []byte("#!")) {
		return 0
	}
	line, _ := cutLine(data)
	return len(line)
}

// lineNumber counts from 1.
func lineNumber(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }

// findSignatureLike is the offset of the first line that looks like a signature, or -1.
func findSignatureLike(data []byte) int {
	for offset := 0; offset < len(data); {
		line, _ := cutLine(data[offset:])
		if isSignatureLike(line) {
			return offset
		}
		offset += len(line)
	}
	return -1
}

// isSignatureLike reports whether a person, or a sloppier reader, could take the line for a signature: in any comment
// syntax, with any white space and capitals, "rye:signed:" and then "v" and a digit, or the digit of a version 1 date.
func isSignatureLike(line []byte) bool {
	rest := line[lead(line):]
	if len(rest) < len(tag)+2 || rest[0]|0x20 != tag[0] || !bytes.EqualFold(rest[:len(tag)], []byte(tag)) {
		return false
	}
	rest = rest[len(tag):]
	return isDigit(rest[0]) || rest[0]|0x20 == 'v' && isDigit(rest[1])
}

// lead is the length of the white space and comment prefixes that the line starts with.
func lead(line []byte) int {
	for i := 0; ; {
		n := prefixLength(line[i:])
		if n == 0 {
			return i
		}
		i += n
	}
}

func prefixLength(line []byte) int {
	if len(line) == 0 {
		return 0
	}
	switch line[0] {
	case ' ', '\t', '\v', '\f', '\r', '#', ';', '%':
		return 1
	case '/', '-', '<':
		for _, prefix := range [...]string{"//", "/*", "--", "<!--"} {
			if bytes.HasPrefix(line, []byte(prefix)) {
				return len(prefix)
			}
		}
	}
	return 0
}
