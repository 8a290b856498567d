package engine

import (
	"cmp"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/cas"
	"github.com/ryeos/rye/pkg/item"
)

// envelopeKind is what an envelope is for: part of the key and of what is authenticated.
const envelopeKind = "execution-secrets/v1"

// Bounds of an envelope and of the variables in it.
const (
	maxEnvelope  = 4 << 20 // bytes of its JSON text
	maxVariables = 256
	maxValue     = 64 << 10 // bytes
	maxTotal     = 1 << 20  // bytes of all names and values
)

// LilluxOpened is what an envelope held.
type LilluxOpened struct {
	Env     map[string]string `json:"env"`
	Skipped []string          `json:"skipped,omitempty"` // names that no envelope may set
}

// envelope is environment variables, sealed for the box key of one recipient: X25519 with a key of the sender's that is used
// once, HKDF-SHA256, ChaCha20-Poly1305. As the key is never used again, the nonce is zero.
type envelope struct {
	enc        string // the sender's public key
	ciphertext string
	aad        json.RawMessage // what is authenticated beside it
}

// LilluxOpen opens an envelope with the box key of a folder.
func LilluxOpen(dir string, text io.Reader) (*LilluxOpened, error) {
	data, err := io.ReadAll(io.LimitReader(text, maxEnvelope+1))
	if err != nil {
		return nil, err
	}
	key, err := readBoxKey(dir)
	if err != nil {
		return nil, err
	}
	plain, err := openEnvelope(key, data)
	if err != nil {
		return nil, err
	}
	return readVariables(plain)
}

// openEnvelope checks and decrypts.
func openEnvelope(key *ecdh.PrivateKey, data []byte) ([]byte, error) {
	e, err := parseEnvelope(data)
	if err != nil {
		return nil, err
	}
	sender, err := decode32(e.enc)
	if err != nil {
		return nil, fmt.Errorf("invalid envelope field enc: %w", err)
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(e.ciphertext, "="))
	if err != nil {
		return nil, errors.New("invalid envelope field ciphertext: it is not base64url")
	}
	aad, err := cas.Canonical(e.aad)
	if err != nil {
		return nil, fmt.Errorf("invalid envelope field aad_fields: %w", err)
	}
	public, err := ecdh.X25519().NewPublicKey(sender)
	if err != nil {
		return nil, fmt.Errorf("invalid envelope field enc: %w", err)
	}
	shared, err := key.ECDH(public)
	if err != nil {
		return nil, fmt.Errorf("invalid envelope field enc: %w", err)
	}
	secret, err := hkdf.Key(sha256.New, shared, nil, envelopeKind, 32)
	if err != nil {
		return nil, err
	}
	aead, err := newAEAD(secret)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, make([]byte, aead.NonceSize()), sealed, aad)
	if err != nil {
		return nil, fmt.Errorf("decryption failed: the envelope was changed, or sealed for another key than %s",
			boxFingerprint(key.PublicKey().Bytes()))
	}
	return plain, nil
}

// parseEnvelope takes the fields by their exact names, where decoding into a struct would take any case.
func parseEnvelope(data []byte) (*envelope, error) {
	switch {
	case len(data) > maxEnvelope:
		return nil, fmt.Errorf("the envelope is larger than %d bytes", maxEnvelope)
	case !item.Lossless(data):
		return nil, errors.New("the envelope is not valid JSON: it is not UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("the envelope is not valid JSON: %w", err)
	}
	if version := string(fields["version"]); version != "1" {
		return nil, fmt.Errorf("unsupported envelope version: %s", cmp.Or(item.FirstLine(version), "none"))
	}
	e := &envelope{aad: fields["aad_fields"]}
	for _, field := range []struct {
		name string
		text *string
	}{{"enc", &e.enc}, {"ciphertext", &e.ciphertext}, {"aad_fields", nil}} {
		value, ok := fields[field.name]
		switch {
		case !ok:
			return nil, fmt.Errorf("envelope missing required field: %s", field.name)
		case field.text != nil && json.Unmarshal(value, field.text) != nil:
			return nil, fmt.Errorf("invalid envelope field %s: it is not a string", field.name)
		}
	}
	var aad map[string]any
	if err := json.Unmarshal(e.aad, &aad); err != nil || aad["kind"] != envelopeKind {
		return nil, fmt.Errorf("unsupported envelope kind: %s", item.Quote(fmt.Sprint(aad["kind"])))
	}
	return e, nil
}

// readVariables holds what an envelope held against the bounds, and leaves out the names that it may not set.
func readVariables(plain []byte) (*LilluxOpened, error) {
	if !item.Lossless(plain) {
		return nil, errors.New("the content of the envelope is not UTF-8")
	}
	var variables map[string]any
	if err := json.Unmarshal(plain, &variables); err != nil || variables == nil {
		return nil, errors.New("the content of the envelope is not a JSON object")
	}
	if problems := checkVariables(variables); len(problems) > 0 {
		return nil, errors.New("env map validation failed: " + strings.Join(problems, "; "))
	}
	opened := &LilluxOpened{Env: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if maySet(name) {
			opened.Env[name] = variables[name].(string)
		} else {
			opened.Skipped = append(opened.Skipped, name)
		}
	}
	return opened, nil
}

func checkVariables(variables map[string]any) (problems []string) {
	if len(variables) > maxVariables {
		problems = append(problems, fmt.Sprintf("%d variables, at most %d are allowed", len(variables), maxVariables))
	}
	total := 0
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		value, ok := variables[name].(string)
		total += len(name) + len(value)
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("the value of %s is not a string", item.Quote(name)))
		case len(value) > maxValue:
			problems = append(problems, fmt.Sprintf("the value of %s has %d bytes, at most %d are allowed", item.Quote(name), len(value), maxValue))
		case strings.ContainsRune(value, 0):
			problems = append(problems, fmt.Sprintf("the value of %s holds a NUL character", item.Quote(name)))
		}
	}
	if total > maxTotal {
		problems = append(problems, fmt.Sprintf("%d bytes of names and values, at most %d are allowed", total, maxTotal))
	}
	return problems
}
