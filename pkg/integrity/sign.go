package integrity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// Sign makes the signed form of a file. path is what the signature binds (see Source.Path), file is for messages.
// For a file type with comments, signed is data with a new signature line in place of an old one, of whatever format
// and sloppiness, and detached is nil; nothing else changes, except that a shebang without line end gets one. For other
// types signed is data and detached the content of the .rye-sig file. A byte order mark, and lines that a reader could
// mistake for the signature, are usage errors with their place.
func Sign(key *Key, kind item.Kind, path, file string, data []byte, now time.Time) (signed, detached []byte, err error) {
	id := identity{kind, path}
	if err := id.validate(); err != nil {
		return nil, nil, err
	}
	content, err := stripSignature(path, file, data)
	if err != nil {
		return nil, nil, err
	}
	line := Line{
		Version: 2, SignedAt: now.UTC().Truncate(time.Second), Digest: sha256.Sum256(content), Signer: key.public.fingerprint,
	}
	if year := line.SignedAt.Year(); year < 1 || year > 9999 {
		return nil, nil, item.Usagef("a signature cannot be dated to the year %d", year)
	}
	line.Signature = [ed25519.SignatureSize]byte(ed25519.Sign(key.private, id.message(line)))

	style, inline := item.CommentStyleOf(path)
	if !inline {
		return data, []byte(line.String() + "\n"), nil
	}
	start := shebang(content)
	return slices.Concat(content[:start], []byte(style.Wrap(line.String())+"\n"), content[start:]), nil, nil
}

// stripSignature returns what a signature would cover: the file without the signature lines at its top.
func stripSignature(path, file string, data []byte) ([]byte, error) {
	if _, inline := item.CommentStyleOf(path); !inline {
		if first, _ := cutLine(data[shebang(data):]); isSignatureLike(first) {
			return nil, signUsage(file, lineNumber(data, shebang(data)), "this file type is signed in a %s file, "+
				"but it starts with a signature line: remove it", DetachedSuffix)
		}
		return data, nil
	}
	if hasBOM(data) {
		return nil, signUsage(file, 1, "the file starts with a byte order mark: save it as UTF-8 without one")
	}
	rest, err := skipSignatures(file, data, data)
	if err != nil {
		return nil, err
	}
	head := rest[:shebang(rest)]
	if rest, err = skipSignatures(file, data, rest[len(head):]); err != nil {
		return nil, err
	}
	if i := findSignatureLike(rest); i >= 0 {
		return nil, signUsage(file, lineNumber(data, len(data)-len(rest)+i), "a line looks like a signature: "+
			"remove it, or write something before %s", tag)
	}
	if len(head) == 0 {
		return rest, nil
	}
	if !bytes.HasSuffix(head, []byte("\n")) {
		head = append(bytes.Clone(head), '\n')
	}
	return slices.Concat(head, rest), nil
}

// skipSignatures drops signature-like lines from the start of rest, which is the end of data.
func skipSignatures(file string, data, rest []byte) ([]byte, error) {
	for {
		line, after := cutLine(rest)
		if !isSignatureLike(line) {
			return rest, nil
		}
		if !isWholeComment(string(line)) {
			return nil, signUsage(file, lineNumber(data, len(data)-len(rest)), "the signature line also holds something "+
				"else: put that on a line of its own")
		}
		rest = after
	}
}

// isWholeComment is false when removing the line would remove more than a comment: text after a closed block comment,
// or the opening of one that goes on.
func isWholeComment(line string) bool {
	for opening, closing := range map[string]string{"<!--": "-->", "/*": "*/"} {
		if strings.HasPrefix(strings.TrimSpace(line), opening) {
			_, after, closed := strings.Cut(line, closing)
			return closed && strings.TrimSpace(after) == ""
		}
	}
	return true
}

func signUsage(file string, line int, format string, args ...any) *item.Error {
	return item.Usagef("%s:%d: "+format, append([]any{shown(file), line}, args...)...)
}
