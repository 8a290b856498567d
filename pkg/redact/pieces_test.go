package redact

import (
	"strings"
	"testing"
)

// A long text is looked at in pieces, and a secret may stand wherever two of them meet, in any encoding.
func TestTextFindsSecretsBetweenPieces(t *testing.T) {
	const secret = `Kq7/+"& é9`
	r := New(map[string]string{"KEY": secret})
	line := "nothing to see here\n"
	filler := strings.Repeat(line, pieceLength/len(line)+1)
	for name, encode := range encodings {
		encoded := encode(secret)
		for _, before := range []int{len(encoded) / 2, 0} {
			text := filler[:pieceLength-before-1] + "\n" + encoded + "\n" + line
			if got := r.Text(text); strings.Contains(got, encoded) || !strings.Contains(got, "[redacted KEY]") || !strings.HasSuffix(got, line) {
				t.Errorf("%s, %d bytes before the end of a piece: the secret is still there, or more is gone", name, before)
			}
		}
	}
}
