package hostile

import (
	"bytes"
	"strings"
)

// SignedFile is a file taken apart: what stands before its signature line, the line, and the rest.
type SignedFile struct{ Head, Line, Tail string }

// TakeApart finds the signature line of a file. A file without one is all tail.
func TakeApart(data []byte) SignedFile {
	at := bytes.Index(data, []byte("rye:signed:"))
	if at < 0 {
		return SignedFile{Tail: string(data)}
	}
	start := 1 + bytes.LastIndexByte(data[:at], '\n')
	end := at + 1 + bytes.IndexByte(data[at:], '\n')
	return SignedFile{string(data[:start]), string(data[start:end]), string(data[end:])}
}

func (f SignedFile) String() string { return f.Head + f.Line + f.Tail }

// withLine is the file with another line.
func (f SignedFile) withLine(line string) string { return f.Head + line + f.Tail }

// withEnd is the file with another end of its line.
func (f SignedFile) withEnd(end string) string {
	return f.withLine(strings.TrimSuffix(f.Line, "\n") + end)
}

// LineAttack changes a file's signature line. Want is how rye's refusal must start, Detached how it must start when the
// line stands in a file of its own, if that is something else.
type LineAttack struct {
	Change         func(SignedFile) string
	Want, Detached string
}

// LineAttacks strip, move, double, respell and downgrade signatures.
var LineAttacks = map[string]LineAttack{
	"deleted": {
		Change: func(f SignedFile) string { return f.Head + f.Tail },
		Want:   "Unsigned item", Detached: "Signature line is cut short",
	},
	"moved down": {
		Change: func(f SignedFile) string { return f.Head + "\n" + f.Line + f.Tail },
		Want:   "Signature line is not the first line", Detached: "Second signature line",
	},
	"doubled":         {Change: func(f SignedFile) string { return f.withLine(f.Line + f.Line) }, Want: "Second signature line"},
	"second line":     {Change: func(f SignedFile) string { return f.String() + "\n" + f.Line }, Want: "Second signature line"},
	"CR LF":           {Change: func(f SignedFile) string { return f.withEnd("\r\n") }, Want: "Signature line ends in CR LF"},
	"trailing space":  {Change: func(f SignedFile) string { return f.withEnd(" \n") }, Want: "Signature line is followed by more text"},
	"byte order mark": {Change: func(f SignedFile) string { return "\ufeff" + f.String() }, Want: "File starts with a byte order mark"},
	"indented":        {Change: func(f SignedFile) string { return f.withLine(" " + f.Line) }, Want: "Signature line is indented"},
	"upper-case hash": {Change: upperCaseHash, Want: "Signature line has upper-case letters"},
	"cut short": {Change: func(f SignedFile) string {
		at := strings.Index(f.Line, ":v2:")
		return f.withLine(f.Line[:at] + f.Line[len(f.Line)-len(" -->\n"):])
	}, Want: "Signature line is"},
	"other time": {
		Change: func(f SignedFile) string { return f.withLine(strings.Replace(f.Line, ":v2:20", ":v2:19", 1)) },
		Want:   "Signature does not fit this kind and path",
	},
	"future format": {
		Change: func(f SignedFile) string { return f.withLine(strings.Replace(f.Line, ":v2:", ":v3:", 1)) },
		Want:   "Signature line has an unknown format version",
	},
	"no algorithm": {
		Change: func(f SignedFile) string { return f.withLine(strings.Replace(f.Line, ":v2:", ":none:", 1)) },
		Want:   "Signature line is cut short",
	},
	"old format": {
		Change: func(f SignedFile) string { return f.withLine(strings.Replace(f.Line, ":v2:", ":", 1)) },
		Want:   "Signature line is of the old format 1",
	},
	"padded": {Change: padded, Want: "Signature is base64 with padding"},
	"unknown key": {Change: func(f SignedFile) string {
		at := strings.LastIndexByte(f.Line, ':')
		return f.withLine(f.Line[:at+1] + "0123456789abcdef" + f.Line[at+17:])
	}, Want: "Untrusted key 0123456789abcdef"},
}

func upperCaseHash(f SignedFile) string {
	fields := strings.Split(f.Line, ":")
	i := len(fields) - 3
	fields[i] = strings.ToUpper(fields[i])
	return f.withLine(strings.Join(fields, ":"))
}

func padded(f SignedFile) string {
	at := strings.LastIndexByte(f.Line, ':')
	return f.withLine(f.Line[:at] + "==" + f.Line[at:])
}

// ContentAttacks change what a signature covers.
var ContentAttacks = map[string]func(SignedFile) string{
	"last byte": func(f SignedFile) string {
		return f.Head + f.Line + f.Tail[:len(f.Tail)-2] + "~" + f.Tail[len(f.Tail)-1:]
	},
	"shebang":       func(f SignedFile) string { return "#!/bin/false\n" + f.Line + f.Tail },
	"line appended": func(f SignedFile) string { return f.String() + "\n" },
	"NUL appended":  func(f SignedFile) string { return f.String() + "\x00" },
}
