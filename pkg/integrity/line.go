package integrity

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"
)

// The text of a signature line (design §7): tag, "v2:", time, digest, signature, fingerprint, always lineLength bytes.
const (
	tag               = "rye:signed:"
	version2          = "v2:"
	timeLayout        = "2006-01-02T15:04:05Z"
	timeLength        = len(timeLayout)
	digestLength      = 2 * sha256.Size
	signatureLength   = 86
	fingerprintLength = 16
	lineLength        = len(tag+version2) + timeLength + 1 + digestLength + 1 + signatureLength + 1 + fingerprintLength
)

// Line is the content of a signature line: who signed which bytes, and when. It does not name the item; the signature
// binds that.
type Line struct {
	Version   int       // 2, or 1 for a line of RYE OS
	SignedAt  time.Time // UTC, in whole seconds
	Digest    [sha256.Size]byte
	Signature [ed25519.SignatureSize]byte
	Signer    string // fingerprint of the key
}

// String is the one spelling of a version 2 line, without comment syntax and line end.
func (l Line) String() string {
	return tag + version2 + l.timestamp() +
		":" + hex.EncodeToString(l.Digest[:]) +
		":" + base64.RawURLEncoding.EncodeToString(l.Signature[:]) +
		":" + l.Signer
}

func (l Line) timestamp() string { return l.SignedAt.Format(timeLayout) }

// ParseLine reads the text of a version 2 line, without comment syntax and line end. It accepts exactly what String
// writes; every other spelling is a *Failure with a reason of its own.
func ParseLine(text string) (Line, error) {
	rest, err := cutTag(text)
	if err != nil {
		return Line{}, err
	}
	rest, ok := strings.CutPrefix(rest, version2)
	if !ok {
		return Line{}, versionFailure(rest)
	}
	if len(rest) <= timeLength {
		return Line{}, &Failure{Reason: Stripped}
	}
	line := Line{Version: 2}
	if line.SignedAt, err = parseTime(rest[:timeLength]); err != nil {
		return Line{}, err
	}
	digest, rest, _ := strings.Cut(strings.TrimPrefix(rest[timeLength:], ":"), ":")
	signature, signer, ok := strings.Cut(rest, ":")
	if !ok {
		return Line{}, &Failure{Reason: Stripped}
	}
	if err := line.parseFields(digest, signature, signer); err != nil {
		return Line{}, err
	}
	if len(text) != lineLength {
		return Line{}, malformed("a colon is missing after the time")
	}
	return line, nil
}

func (l *Line) parseFields(digest, signature, signer string) error {
	if err := checkHex("digest", digest, digestLength); err != nil {
		return err
	}
	if len(signer) > fingerprintLength && isHex(signer[:fingerprintLength]) {
		return &Failure{Reason: TrailingText}
	}
	if err := checkHex("fingerprint", signer, fingerprintLength); err != nil {
		return err
	}
	hex.Decode(l.Digest[:], []byte(digest)) // cannot fail: checkHex has seen every digit
	l.Signer = signer
	if strings.Contains(signature, "=") {
		return &Failure{Reason: Padded}
	}
	return l.parseSignature(signature)
}

// parseSignature decodes unpadded base64url. The last of 86 characters carries 4 bits of the signature and 2 that must
// be zero; a lenient decoder would accept three more spellings of every signature.
func (l *Line) parseSignature(text string) error {
	if len(text) != signatureLength || strings.ContainsAny(text, "\r\n") {
		return malformed("the signature has %d characters instead of %d", len(text), signatureLength)
	}
	if _, err := base64.RawURLEncoding.Strict().Decode(l.Signature[:], []byte(text)); err == nil {
		return nil
	}
	if _, err := base64.RawURLEncoding.DecodeString(text); err == nil {
		return &Failure{Reason: LooseBase64}
	}
	return malformed("the signature is not base64url")
}

// cutTag removes "rye:signed:".
func cutTag(text string) (string, error) {
	if rest, ok := strings.CutPrefix(text, tag); ok {
		return rest, nil
	}
	if len(text) >= len(tag) && strings.EqualFold(text[:len(tag)], tag) {
		return "", &Failure{Reason: UpperCase}
	}
	return "", malformed("it does not start with %s", tag)
}

// versionFailure explains a version field that is not "v2:".
func versionFailure(rest string) error {
	name, _, _ := strings.Cut(rest, ":")
	number, isVersion := strings.CutPrefix(name, "v")
	switch {
	case strings.EqualFold(name, "v2") && name != "v2":
		return &Failure{Reason: UpperCase}
	case name == "" || name == "v2":
		return &Failure{Reason: Stripped}
	case isVersion && isDigits(number):
		return &Failure{Reason: UnknownVersion, Detail: name}
	}
	return malformed("it has no format version")
}

// parseTime accepts one spelling of each second; time.Parse alone would take some others.
func parseTime(text string) (time.Time, error) {
	t, err := time.Parse(timeLayout, text)
	if err == nil && t.Format(timeLayout) == text {
		return t, nil
	}
	if _, err := time.Parse(timeLayout, strings.ToUpper(text)); err == nil {
		return time.Time{}, malformed("the time is written with small letters")
	}
	return time.Time{}, malformed("the time is not of the form %s", timeLayout)
}

// checkHex accepts n lower-case hexadecimal digits.
func checkHex(field, text string, n int) error {
	switch {
	case len(text) != n:
		return malformed("the %s has %d characters instead of %d", field, len(text), n)
	case isHex(text):
		return nil
	case isHex(strings.ToLower(text)):
		return &Failure{Reason: UpperCase}
	}
	return malformed("the %s is not hexadecimal", field)
}

func isHex(text string) bool {
	for _, c := range []byte(text) {
		if !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isDigits(text string) bool {
	for _, c := range []byte(text) {
		if !isDigit(c) {
			return false
		}
	}
	return text != "" && len(text) < 8
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isFingerprint(text string) bool { return len(text) == fingerprintLength && isHex(text) }
