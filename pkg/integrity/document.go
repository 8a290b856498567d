package integrity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/ryeos/rye/pkg/item"
)

const (
	documentSuffix  = ".toml"
	documentVersion = "1.0.0"
	maxDocument     = 16 << 10 // bytes
	maxDocumentText = 2 << 10  // bytes of the owner, the version, the attestation
)

// TrustedKey is a key with what its trust document says about it.
type TrustedKey struct {
	Fingerprint string
	Owner       string // "unknown" when the document does not say
	Attestation string
	Version     string // of the document
	Space       string
	File        string // the document, as the user sees it
	Signer      string // fingerprint in the document's signature line, "" when it has none
	Key         *PublicKey
}

// document is one trust document as it was read: its key, or why it is wrong in itself.
type document struct {
	data []byte
	key  TrustedKey
	file signedFile
	err  error

	mu       sync.Mutex
	verifier *PublicKey // who verify was last asked about, with its answer
	verdict  error
}

func newDocument(data []byte, fingerprint string) *document {
	doc := &document{data: data}
	if doc.key, doc.err = ReadTrustDocument(data); doc.err != nil {
		return doc
	}
	if doc.key.Fingerprint != fingerprint {
		doc.err = fmt.Errorf("its name is not its key's fingerprint, %s", doc.key.Fingerprint)
		return doc
	}
	if doc.key.Signer != "" {
		doc.file, doc.err = takeApart(documentPath(fingerprint), data, nil, false)
	}
	return doc
}

// documentPath is the path below the config folder that a document's signature binds.
func documentPath(fingerprint string) string { return "keys/trusted/" + fingerprint + documentSuffix }

// verify checks the document's signature with a key, once.
func (d *document) verify(key *PublicKey) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.verifier != nil && d.verifier.key.Equal(key.key) {
		return d.verdict
	}
	d.verifier, d.verdict = key, nil
	line, digest := d.file.line, d.file.digest()
	if digest != line.Digest {
		d.verdict = fmt.Errorf("it was modified since signing (expected %.8x, got %.8x)", line.Digest, digest)
	} else if !key.covers(identity{item.Config, documentPath(d.key.Fingerprint)}.message(line), line) {
		d.verdict = fmt.Errorf("the signature by %s is not valid", line.Signer)
	}
	return d.verdict
}

// ReadTrustDocument reads a document of the form of spec/rye-core §7.4. It checks that the key is sound and has the
// fingerprint that the document names, and that a signature line, if there is one, is well-formed; not whether anybody
// should trust it, and not the signature itself.
func ReadTrustDocument(data []byte) (TrustedKey, error) {
	if len(data) > maxDocument {
		return TrustedKey{}, item.Usagef("the key document is longer than %d bytes", maxDocument)
	}
	file, err := takeApart(documentSuffix, data, nil, false)
	if failure, ok := err.(*Failure); ok && failure.Reason != Unsigned {
		return TrustedKey{}, item.Usagef("the key document cannot be used: %s", headlines[failure.Reason])
	}
	var fields struct {
		Version     string
		Fingerprint string
		Owner       string
		Attestation string
		PublicKey   struct{ PEM string } `toml:"public_key"`
	}
	if err := toml.NewDecoder(bytes.NewReader(data)).Decode(&fields); err != nil {
		return TrustedKey{}, item.Usagef("the key document is not valid TOML: %v", err)
	}
	texts := [...][2]string{{"owner", fields.Owner}, {"version", fields.Version}, {"attestation", fields.Attestation}}
	for _, text := range texts {
		if err := checkText(text[0], text[1]); err != nil {
			return TrustedKey{}, err
		}
	}
	key, err := ParsePublicKey([]byte(fields.PublicKey.PEM))
	if err != nil {
		return TrustedKey{}, err
	}
	if fields.Fingerprint != key.fingerprint {
		return TrustedKey{}, item.Usagef("the document's fingerprint is %s, that of its key is %s",
			item.Quote(fields.Fingerprint), key.fingerprint)
	}
	trusted := TrustedKey{
		Fingerprint: key.fingerprint, Owner: fields.Owner, Attestation: fields.Attestation, Version: fields.Version,
		Signer: file.line.Signer, Key: key,
	}
	if trusted.Owner == "" {
		trusted.Owner = "unknown"
	}
	if trusted.Version == "" {
		trusted.Version = documentVersion
	}
	return trusted, nil
}

// TrustDocument writes the document of a key, signed by signer, or unsigned if signer is nil. It belongs into
// `config/keys/trusted/<fingerprint>.toml` below an `.ai` folder; the signature binds that path.
func TrustDocument(pub *PublicKey, owner, attestation string, signer *Key, now time.Time) ([]byte, error) {
	if err := checkText("owner", owner); err != nil {
		return nil, err
	}
	if err := checkText("attestation", attestation); err != nil {
		return nil, err
	}
	data := fmt.Appendf(nil, `version = %s
category = "keys/trusted"
fingerprint = %s
owner = %s
attestation = %s

[public_key]
pem = """
%s"""
`, quoteTOML(documentVersion), quoteTOML(pub.fingerprint), quoteTOML(owner), quoteTOML(attestation), pub.text)
	if signer == nil {
		return data, nil
	}
	path := documentPath(pub.fingerprint)
	signed, _, err := Sign(signer, item.Config, path, path, data, now)
	return signed, err
}

// quoteTOML writes a text without control characters: for those a JSON string is a TOML string too.
func quoteTOML(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has an encoding
	}
	return string(quoted)
}

// checkText keeps what a document says from steering the terminal it is shown on.
func checkText(field, text string) error {
	if len(text) > maxDocumentText {
		return item.Usagef("the %s in a key document is at most %d bytes long", field, maxDocumentText)
	}
	if !utf8.ValidString(text) {
		return item.Usagef("the %s in a key document is not valid UTF-8", field)
	}
	for _, r := range text {
		if !unicode.IsGraphic(r) {
			return item.Usagef("the %s in a key document holds a control or invisible character: %s", field, item.Quote(text))
		}
	}
	return nil
}
