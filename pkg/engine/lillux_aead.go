package engine

import (
	"crypto/cipher"

	"golang.org/x/crypto/chacha20poly1305"
)

func newAEAD(key []byte) (cipher.AEAD, error) { return chacha20poly1305.New(key) }
