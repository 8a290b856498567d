package integrity

import (
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// randomLine draws a line from everything that the format can express.
func randomLine(random *rand.Rand) Line {
	line := Line{Version: 2, SignedAt: time.Unix(random.Int64N(253402300800), 0).UTC()}
	for i := range line.Digest {
		line.Digest[i] = byte(random.Uint32())
	}
	for i := range line.Signature {
		line.Signature[i] = byte(random.Uint32())
	}
	line.Signer = Fingerprint(line.Digest[:])
	return line
}

func TestLineRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		line := randomLine(random)
		text := line.String()
		if len(text) != lineLength {
			t.Fatalf("%d bytes: %s", len(text), text)
		}
		if parsed, err := ParseLine(text); err != nil || parsed != line {
			t.Fatalf("%s: %v, %+v", text, err, parsed)
		}
	}
}

// TestLineIsCanonical changes one character at a time, to every printable one: what is still accepted is another line,
// never another spelling of the same.
func TestLineIsCanonical(t *testing.T) {
	line := randomLine(rand.New(rand.NewPCG(3, 4)))
	text := line.String()
	for i := range text {
		for c := byte('\t'); c < 0x7f; c++ {
			changed := text[:i] + string(rune(c)) + text[i+1:]
			parsed, err := ParseLine(changed)
			if err == nil && (parsed == line) != (changed == text) {
				t.Fatalf("two spellings of one line: %q", changed)
			}
		}
	}
}

func TestParseLineRefuses(t *testing.T) {
	line := randomLine(rand.New(rand.NewPCG(5, 6)))
	text := line.String()
	signature := base64.RawURLEncoding.EncodeToString(line.Signature[:])
	digest := text[len(tag+version2)+timeLength+1:][:digestLength]
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, signature[signatureLength-1])
	loose := signature[:signatureLength-1] + alphabet[last+1:last+2]

	for name, test := range map[string]struct {
		text   string
		reason Reason
		detail string
	}{
		"empty":               {"", Malformed, "does not start"},
		"other text":          {"hello", Malformed, "does not start"},
		"tag only":            {tag, Stripped, ""},
		"version only":        {tag + version2, Stripped, ""},
		"version, no colon":   {tag + "v2", Stripped, ""},
		"no version":          {tag + "sha256:x", Malformed, "no format version"},
		"upper tag":           {"RYE:Signed:" + text[len(tag):], UpperCase, ""},
		"upper version":       {strings.Replace(text, "v2", "V2", 1), UpperCase, ""},
		"upper digest":        {strings.Replace(text, digest, strings.ToUpper(digest), 1), UpperCase, ""},
		"upper fingerprint":   {strings.Replace(text, ":"+line.Signer, ":"+strings.ToUpper(line.Signer), 1), UpperCase, ""},
		"version 3":           {strings.Replace(text, "v2", "v3", 1), UnknownVersion, "v3"},
		"version 10":          {strings.Replace(text, "v2", "v10", 1), UnknownVersion, "v10"},
		"version 02":          {strings.Replace(text, "v2", "v02", 1), UnknownVersion, "v02"},
		"huge version":        {tag + "v" + strings.Repeat("9", 99) + ":", Malformed, "no format version"},
		"only the time":       {text[:len(tag+version2)+timeLength], Stripped, ""},
		"time and digest":     {text[:len(tag+version2)+timeLength+1+digestLength], Stripped, ""},
		"impossible time":     {tag + version2 + "2026-02-30T00:00:00Z" + text[34:], Malformed, "time"},
		"time with a zone":    {tag + version2 + "2026-02-03T00:00:00+" + text[34:], Malformed, "time"},
		"small t and z":       {strings.Replace(strings.Replace(text, "T", "t", 1), "Z:", "z:", 1), Malformed, "small letters"},
		"no colon after time": {text[:34] + text[35:], Malformed, "colon"},
		"short digest":        {strings.Replace(text, digest, digest[:40], 1), Malformed, "digest has 40 characters"},
		"odd digest":          {strings.Replace(text, digest, "g"+digest[1:], 1), Malformed, "not hexadecimal"},
		"padded":              {strings.Replace(text, signature, signature+"==", 1), Padded, ""},
		"loose base64":        {strings.Replace(text, signature, loose, 1), LooseBase64, ""},
		"standard base64":     {strings.Replace(text, signature, "+/"+signature[2:], 1), Malformed, "not base64url"},
		"short signature":     {strings.Replace(text, signature, signature[:84], 1), Malformed, "84 characters"},
		"long signature":      {strings.Replace(text, signature, signature+"AA", 1), Malformed, "88 characters"},
		"line feeds in it":    {strings.Replace(text, signature, "\n\n"+signature[2:], 1), Malformed, "characters"},
		"short fingerprint":   {text[:len(text)-1], Malformed, "fingerprint has 15"},
		"trailing text":       {text + " # x", TrailingText, ""},
		"trailing space":      {text + " ", TrailingText, ""},
		"provenance":          {text + "|central@ann", TrailingText, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseLine(test.text)
			var failure *Failure
			if !errors.As(err, &failure) {
				t.Fatalf("accepted %q: %v", test.text, err)
			}
			if failure.Reason != test.reason || !strings.Contains(failure.Detail, test.detail) {
				t.Errorf("%q: %s %q", test.text, failure.Reason, failure.Detail)
			}
			if got != (Line{}) {
				t.Errorf("an error came with a line: %+v", got)
			}
		})
	}
}

// FuzzSignatureLine: what is accepted is formatted back to the same bytes.
func FuzzSignatureLine(f *testing.F) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 3 {
		f.Add(randomLine(random).String())
	}
	f.Add(tag + "v3:")
	f.Add(tag + "2026-01-01T00:00:00Z:x:y:z|a@b")
	f.Fuzz(func(t *testing.T, text string) {
		line, err := ParseLine(text)
		switch {
		case err != nil && line != (Line{}):
			t.Fatalf("an error came with a line: %q", text)
		case err == nil && line.String() != text:
			t.Fatalf("%q became %q", text, line.String())
		}
	})
}
