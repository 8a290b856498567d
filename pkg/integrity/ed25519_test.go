package integrity

import (
	"crypto/ed25519"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/hostile"
)

// accepts is what rye does with a key and a signature, from the key's text to the answer. lenient is what
// crypto/ed25519 says by itself.
func accepts(t *testing.T, s hostile.Signature) (strict, lenient bool) {
	t.Helper()
	key, err := hex.DecodeString(s.Key)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := hex.DecodeString(s.Signature)
	if err != nil {
		t.Fatal(err)
	}
	lenient = ed25519.Verify(key, []byte(s.Message), signature)
	public, err := ParsePublicKey(newPublicKey(key).PEM())
	if err != nil {
		return false, lenient
	}
	return public.covers([]byte(s.Message), Line{Signature: [ed25519.SignatureSize]byte(signature)}), lenient
}

// TestStrictSignatures: what only lenient verifiers take is refused (field.md threat 5).
func TestStrictSignatures(t *testing.T) {
	if strict, _ := accepts(t, hostile.Honest); !strict {
		t.Error("the honest signature is refused")
	}
	dangerous := 0
	for _, s := range hostile.Signatures {
		strict, lenient := accepts(t, s)
		if strict {
			t.Errorf("accepted: %s", s.Name)
		}
		if lenient {
			dangerous++
		} else if strings.HasPrefix(s.Name, "A of order") {
			t.Errorf("%s is no forgery: crypto/ed25519 refuses it as well", s.Name)
		}
	}
	t.Logf("%d signatures refused, %d of them pass crypto/ed25519", len(hostile.Signatures), dangerous)
}
