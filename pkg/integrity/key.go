package integrity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"fmt"

	"github.com/ryeos/rye/pkg/item"
)

// Key is a signing key. It never prints its private half, whatever the format verb.
type Key struct {
	private ed25519.PrivateKey
	public  *PublicKey
}

// NewKey makes a key that exists in memory only.
func NewKey() (*Key, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return newKey(private), nil
}

func newKey(private ed25519.PrivateKey) *Key {
	return &Key{private: private, public: newPublicKey(private.Public().(ed25519.PublicKey))}
}

// Public is the half that others may see.
func (k *Key) Public() *PublicKey { return k.public }

// Format prints the fingerprint, so that no log line or panic can hold the private half.
func (k Key) Format(state fmt.State, _ rune) { fmt.Fprintf(state, "key %v", k.public) }

// privatePEM is the key's PKCS#8 text.
func (k *Key) privatePEM() []byte {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		panic(err) // an Ed25519 key always has an encoding
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// ParsePrivateKey reads a PKCS#8 Ed25519 key, of version 1 (RFC 5208) or 2 (RFC 5958, which adds the public key).
func ParsePrivateKey(pemText []byte) (*Key, error) {
	der, err := decodePEM(pemText, "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, item.Usagef("the private key cannot be read: it is not PKCS#8")
	}
	private, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, item.Usagef("the private key is not an Ed25519 key").Hint("rye keys generate")
	}
	key := newKey(private)
	if err := key.checkPKCS8(der); err != nil {
		return nil, err
	}
	return key, nil
}

// checkPKCS8 compares the public key that a version 2 document carries, which crypto/x509 ignores, with the real one.
func (k *Key) checkPKCS8(der []byte) error {
	var document struct {
		Version    int
		Algorithm  asn1.RawValue
		PrivateKey []byte
		Attributes asn1.RawValue  `asn1:"optional,tag:0"`
		PublicKey  asn1.BitString `asn1:"optional,tag:1"`
	}
	rest, err := asn1.Unmarshal(der, &document)
	if err != nil || len(rest) > 0 || document.Version < 0 || document.Version > 1 {
		return item.Usagef("the private key cannot be read: it is not PKCS#8")
	}
	if public := document.PublicKey.Bytes; len(public) > 0 && !k.public.key.Equal(ed25519.PublicKey(public)) {
		return item.Usagef("the private key carries a public key that is not its own")
	}
	return nil
}
