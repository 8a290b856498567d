package integrity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// maxPEM bounds key files, in bytes; an Ed25519 key takes 113 (public) or 119 (private).
const maxPEM = 8 << 10

// PublicKey is an Ed25519 key that has been checked: on its own it says nothing about trust.
type PublicKey struct {
	key         ed25519.PublicKey
	text        []byte
	fingerprint string
}

// PEM is the key's one text form: SubjectPublicKeyInfo, LF, final newline.
func (p *PublicKey) PEM() []byte { return bytes.Clone(p.text) }

// Fingerprint names the key: the first 16 hex digits of SHA-256 over PEM.
func (p *PublicKey) Fingerprint() string { return p.fingerprint }

func (p *PublicKey) String() string { return p.fingerprint }

// Fingerprint is that of a key whose PEM text is given byte for byte, final newline included.
func Fingerprint(pemText []byte) string {
	digest := sha256.Sum256(pemText)
	return hex.EncodeToString(digest[:])[:fingerprintLength]
}

// ParsePublicKey reads one PEM block of an Ed25519 public key. White space around the block is allowed; any other
// deviation from the text that PEM writes is refused, since it would change the fingerprint.
func ParsePublicKey(pemText []byte) (*PublicKey, error) {
	der, err := decodePEM(pemText, "PUBLIC KEY")
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, item.Usagef("the public key cannot be read: %v", err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, item.Usagef("the public key is not an Ed25519 key").Hint("openssl genpkey -algorithm ed25519")
	}
	if isWeak(key) {
		return nil, item.Usagef("the public key is a point of small order: anyone can sign for it")
	}
	public := newPublicKey(key)
	if !bytes.Equal(public.text, append(bytes.TrimSpace(pemText), '\n')) {
		return nil, item.Usagef("the public key is not in its canonical PEM form (64 columns, LF, no headers)").
			Hint("openssl pkey -pubin -in FILE -pubout")
	}
	return public, nil
}

// decodePEM takes the only block out of a text.
func decodePEM(text []byte, blockType string) ([]byte, error) {
	if len(text) > maxPEM {
		return nil, item.Usagef("the key is %d bytes long; at most %d are allowed", len(text), maxPEM)
	}
	text = bytes.TrimSpace(text)
	block, rest := pem.Decode(text)
	switch {
	case block == nil || !bytes.HasPrefix(text, []byte("-----BEGIN ")):
		return nil, item.Usagef("there is no PEM block: a key starts with -----BEGIN %s-----", blockType)
	case block.Type != blockType:
		return nil, item.Usagef("the PEM block is a %s, not a %s", item.Quote(block.Type), blockType)
	case len(rest) > 0:
		return nil, item.Usagef("there is more than one PEM block, or text after it")
	}
	return block.Bytes, nil
}

// newPublicKey makes the text form of a key that is known to be sound.
func newPublicKey(key ed25519.PublicKey) *PublicKey {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		panic(err) // an Ed25519 key always has an encoding
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	return &PublicKey{key: slices.Clone(key), text: text, fingerprint: Fingerprint(text)}
}

// covers reports whether the key made the signature of the line for this message. No signer draws an R of small order,
// and verifiers disagree on it.
func (p *PublicKey) covers(message []byte, line Line) bool {
	return !isWeak(line.Signature[:32]) && ed25519.Verify(p.key, message, line.Signature[:])
}
