package integrity

import (
	"bytes"
	"crypto/sha256"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// DetachedSuffix is appended to the name of a file that cannot hold a comment: the signature is a file of its own.
const DetachedSuffix = ".rye-sig"

// signedFile is a file taken apart: the signature line and the content around it.
type signedFile struct {
	line       Line
	number     int // of the line in its file
	head, tail []byte
}

// digest is SHA-256 over the content: all bytes except the signature line.
func (f signedFile) digest() [sha256.Size]byte {
	if len(f.head) == 0 {
		return sha256.Sum256(f.tail)
	}
	hash := sha256.New()
	hash.Write(f.head)
	hash.Write(f.tail)
	return [sha256.Size]byte(hash.Sum(nil))
}

// takeApart finds the one signature line of a file; path tells the file type, detached is the content of the .rye-sig
// beside it or nil. It returns a *Failure for everything but one canonical line in its place.
func takeApart(path string, data, detached []byte, acceptV1 bool) (signedFile, error) {
	style, inline := item.CommentStyleOf(path)
	if inline {
		if detached != nil {
			return signedFile{}, &Failure{Reason: Ambiguous, Beside: true}
		}
		return takeInline(style, data, acceptV1)
	}
	if first, _ := cutLine(data[shebang(data):]); isSignatureLike(first) {
		return signedFile{}, &Failure{Reason: NeedsDetached, Line: lineNumber(data, shebang(data))}
	}
	return takeDetached(data, detached)
}

func takeInline(style item.CommentStyle, data []byte, acceptV1 bool) (signedFile, error) {
	if hasBOM(data) {
		return signedFile{}, &Failure{Reason: BOM, Line: 1}
	}
	start := shebang(data)
	raw, tail := cutLine(data[start:])
	file := signedFile{number: lineNumber(data, start), head: data[:start], tail: tail}
	if !isSignatureLike(raw) {
		return signedFile{}, missing(style, data, raw)
	}
	var err error
	if file.line, err = parseRaw(style, raw, acceptV1); err != nil {
		return signedFile{}, at(err, file.number)
	}
	// RYE OS put the line of a JavaScript file before its shebang; here each content has one place for its line.
	if start == 0 && shebang(tail) > 0 && file.line.Version != 1 {
		return signedFile{}, &Failure{Reason: Misplaced, Line: 1}
	}
	if i := findSignatureLike(tail); i >= 0 {
		return signedFile{}, &Failure{Reason: Duplicate, Line: file.number + lineNumber(tail, i)}
	}
	return file, nil
}

func takeDetached(data, detached []byte) (signedFile, error) {
	raw, rest := cutLine(detached)
	var err error
	file := signedFile{number: 1, tail: data}
	switch {
	case detached == nil:
		return signedFile{}, &Failure{Reason: Unsigned, Detail: "a signature in a " + DetachedSuffix + " file beside it"}
	case hasBOM(detached):
		err = &Failure{Reason: BOM}
	case findSignatureLike(rest) >= 0:
		return signedFile{}, &Failure{Reason: Duplicate, Beside: true, Line: 1 + lineNumber(rest, findSignatureLike(rest))}
	case len(rest) > 0:
		err = &Failure{Reason: TrailingText}
	case !isSignatureLike(raw):
		err = &Failure{Reason: Stripped}
	default:
		file.line, err = parseRaw(item.CommentStyle{}, raw, false)
	}
	if err != nil {
		err.(*Failure).Beside = true
		return signedFile{}, at(err, 1)
	}
	return file, nil
}

// parseRaw reads a line with its comment syntax and its end. The zero style is that of a detached signature.
func parseRaw(style item.CommentStyle, raw []byte, acceptV1 bool) (Line, error) {
	text, closed := strings.CutSuffix(string(raw), "\n")
	text, err := unwrap(style, text)
	if err != nil {
		return Line{}, err
	}
	if !closed {
		return Line{}, &Failure{Reason: Unterminated}
	}
	if isLegacy(text) {
		if !acceptV1 {
			return Line{}, &Failure{Reason: V1Refused}
		}
		return parseLegacy(text)
	}
	return ParseLine(text)
}

// unwrap removes the comment syntax around a signature-like line.
func unwrap(style item.CommentStyle, text string) (string, error) {
	before, after := "", style.Suffix
	if style.Prefix != "" {
		before = style.Prefix + " "
	}
	inner, opened := strings.CutPrefix(text, before)
	inner, closed := strings.CutSuffix(inner, after)
	if opened && closed && lead([]byte(inner)) == 0 && !strings.HasSuffix(inner, "\r") {
		return inner, nil
	}
	body := strings.TrimLeft(text, " \t\v\f\r")
	marker := text[len(text)-len(body) : lead([]byte(text))]
	switch {
	case strings.HasSuffix(text, "\r"):
		return "", &Failure{Reason: CRLF}
	case len(body) < len(text):
		return "", &Failure{Reason: Indented}
	case strings.TrimRight(marker, " \t") != style.Prefix:
		return "", &Failure{Reason: WrongComment, Detail: "Expected: " + before + tag + "…" + after}
	case marker != before:
		return "", malformed("exactly one space belongs after %s", style.Prefix)
	case strings.HasSuffix(text, strings.TrimSpace(after)):
		return "", malformed("exactly one space belongs before %s", strings.TrimSpace(after))
	case strings.Contains(text, strings.TrimSpace(after)):
		return "", &Failure{Reason: TrailingText}
	}
	return "", malformed("the comment is not closed on its line")
}

// missing explains why no signature line is where it belongs; raw is the line that is there instead.
func missing(style item.CommentStyle, data, raw []byte) *Failure {
	if i := findSignatureLike(data); i >= 0 {
		return &Failure{Reason: Misplaced, Line: lineNumber(data, i)}
	}
	stump := bytes.ToLower(raw[lead(raw):])
	if bytes.HasPrefix(stump, []byte(strings.TrimSuffix(tag, ":"))) {
		return &Failure{Reason: Stripped, Line: lineNumber(data, shebang(data))}
	}
	return &Failure{Reason: Unsigned, Detail: style.Wrap(tag + "…")}
}

// at adds the line number to a Failure.
func at(err error, number int) error {
	err.(*Failure).Line = number
	return err
}
