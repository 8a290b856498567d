package integrity

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Version 1 is the format of RYE OS (spec/rye-core §7.1):
// `rye:signed:TIME:DIGEST:SIGNATURE:FINGERPRINT[|provider@user]`. The signature covers the hex digest only, neither kind
// nor path nor time, and the digest leaves parts of the file out.

// isLegacy tells a version 1 line by the digit of its date.
func isLegacy(text string) bool {
	rest, ok := strings.CutPrefix(text, tag)
	return ok && rest != "" && isDigit(rest[0])
}

// parseLegacy reads the text of a version 1 line. The provenance after | is checked and dropped: nothing signs it.
func parseLegacy(text string) (Line, error) {
	rest := strings.TrimPrefix(text, tag)
	if len(rest) <= timeLength || rest[timeLength] != ':' {
		return Line{}, &Failure{Reason: Stripped}
	}
	signedAt, err := parseTime(rest[:timeLength])
	if err != nil {
		return Line{}, err
	}
	fields := strings.Split(rest[timeLength+1:], ":")
	if len(fields) != 3 {
		return Line{}, malformed("it has %d fields after the time instead of 3", len(fields))
	}
	signer, provenance, found := strings.Cut(fields[2], "|")
	if found && !isProvenance(provenance) {
		return Line{}, malformed("the provenance is not of the form provider@user")
	}
	line := Line{Version: 1, SignedAt: signedAt}
	signature := fields[1]
	if len(signature) == signatureLength+2 {
		signature = strings.TrimSuffix(signature, "==")
	}
	if err := line.parseFields(fields[0], signature, signer); err != nil {
		return Line{}, err
	}
	return line, nil
}

func isProvenance(text string) bool {
	provider, user, found := strings.Cut(text, "@")
	return found && isName(provider) && isName(user)
}

func isName(text string) bool {
	for _, c := range []byte(text) {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '-' {
			return false
		}
	}
	return text != ""
}

// legacyDigest is the digest of version 1 (spec/rye-core §7.2): of a directive only the XML, of knowledge only what
// follows the front matter, of the others all but the shebang.
func (f signedFile) legacyDigest(kind item.Kind) ([sha256.Size]byte, error) {
	content := bytes.Join([][]byte{f.head, f.tail}, nil)
	switch kind {
	case item.Directive:
		start, end := directiveStart(content), bytes.LastIndex(content, []byte("</directive>"))
		if start < 0 || end < start {
			return [sha256.Size]byte{}, malformed("No XML directive found in content")
		}
		content = content[start : end+len("</directive>")]
	case item.Knowledge:
		if parts := bytes.SplitN(content, []byte("---"), 3); len(parts) == 3 && len(parts[0]) == 0 {
			content = bytes.TrimSpace(parts[2])
		}
	default:
		if bytes.HasPrefix(content, []byte("#!/")) {
			content = content[shebang(content):]
		}
	}
	return sha256.Sum256(content), nil
}

// directiveStart is the offset of the first <directive …> tag, or -1.
func directiveStart(content []byte) int {
	open := []byte("<directive")
	for offset := 0; ; {
		i := bytes.Index(content[offset:], open)
		if i < 0 {
			return -1
		}
		offset += i
		if after := content[offset+len(open):]; len(after) > 0 && bytes.IndexByte([]byte("> \t\r\n"), after[0]) >= 0 {
			return offset
		}
		offset += len(open)
	}
}

// legacyMessage is what a version 1 signature covers.
func legacyMessage(line Line) []byte { return []byte(hex.EncodeToString(line.Digest[:])) }
