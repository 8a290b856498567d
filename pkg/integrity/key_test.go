package integrity

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// fixedPEM is a public key written by another program (openssl pkey -pubout), of the seed of RFC 8032 §7.1 test 1.
const fixedPEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
`

func TestParsePublicKey(t *testing.T) {
	public, err := ParsePublicKey([]byte("\n \t" + fixedPEM + "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if string(public.PEM()) != fixedPEM || public.Fingerprint() != "7f2d9ed0b71b8e5a" || Fingerprint([]byte(fixedPEM)) != public.Fingerprint() {
		t.Errorf("%s %s", public.Fingerprint(), public.PEM())
	}
	if copied := public.PEM(); &copied[0] == &public.text[0] {
		t.Error("PEM gives the key's own bytes away")
	}
}

func TestParsePublicKeyRefuses(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(curve.Public())
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Split(fixedPEM, "\n")[1]
	for name, test := range map[string]struct{ text, message string }{
		"empty":             {"", "no PEM block"},
		"no block":          {body, "no PEM block"},
		"text before":       {"my key\n" + fixedPEM, "no PEM block"},
		"text after":        {fixedPEM + "x\n", "text after it"},
		"two keys":          {fixedPEM + fixedPEM, "more than one PEM block"},
		"private key":       {string(testKey(1).privatePEM()), "not a PUBLIC KEY"},
		"other algorithm":   {string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), "not an Ed25519 key"},
		"broken":            {strings.Replace(fixedPEM, "MCow", "MCox", 1), "cannot be read"},
		"short":             {strings.Replace(fixedPEM, body, body[:40], 1), "cannot be read"},
		"CR LF":             {strings.ReplaceAll(fixedPEM, "\n", "\r\n"), "canonical"},
		"other line length": {strings.Replace(fixedPEM, body, body[:30]+"\n"+body[30:], 1), "canonical"},
		"header":            {strings.Replace(fixedPEM, body, "Comment: x\n\n"+body, 1), "canonical"},
		"huge":              {fixedPEM + strings.Repeat("\n", maxPEM), "at most"},
	} {
		t.Run(name, func(t *testing.T) {
			public, err := ParsePublicKey([]byte(test.text))
			if public != nil || item.TypeOf(err) != item.TypeUsage || !strings.Contains(err.Error(), test.message) {
				t.Errorf("%v, %v", public, err)
			}
		})
	}
}

// weakKeys are all encodings of points of small order, and the keys with a coordinate above the prime.
func weakKeys() [][]byte {
	var keys [][]byte
	add := func(y [32]byte) {
		keys = append(keys, bytes.Clone(y[:]))
		y[31] |= 0x80
		keys = append(keys, bytes.Clone(y[:]))
	}
	for _, y := range smallOrder {
		add(y)
	}
	for extra := range 19 { // p … 2^255-1: second spellings of 0 … 18
		y := fieldPrime
		y[0] += byte(extra)
		add(y)
	}
	return keys
}

func TestWeakKeysAreRefused(t *testing.T) {
	for _, key := range weakKeys() {
		text := newPublicKey(key).PEM()
		if public, err := ParsePublicKey(text); err == nil {
			t.Errorf("accepted %x as %v", key, public)
		}
	}
	for number := range byte(64) {
		if isWeak(testKey(number).public.key) {
			t.Errorf("an honest key is called weak: %v", testKey(number))
		}
	}
}

// TestSmallOrderForgery shows why: for each canonical point of small order, a signature made without any key fits one
// message in at most eight. It also shows that the constants are those points.
func TestSmallOrderForgery(t *testing.T) {
	signature := make([]byte, ed25519.SignatureSize)
	signature[0] = 1 // R is the neutral element, S is zero
	for _, y := range smallOrder {
		forged := false
		for message := 0; message < 200 && !forged; message++ {
			forged = ed25519.Verify(y[:], fmt.Append(nil, message), signature)
		}
		if !forged {
			t.Errorf("%x is not of small order", y)
		}
	}
}

// TestSignaturesOfStandard: RFC 8032 §7.1 tests 1 to 3, and what the Wycheproof suite makes of such signatures.
func TestSignaturesOfStandard(t *testing.T) {
	for _, vector := range []struct{ public, message, signature string }{
		{"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
			"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
		{"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
			"92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
		{"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
			"6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
	} {
		public := newPublicKey(unhex(t, vector.public))
		message := unhex(t, vector.message)
		line := Line{Signature: [ed25519.SignatureSize]byte(unhex(t, vector.signature))}
		if !public.covers(message, line) || isImpossible(line.Signature) {
			t.Errorf("the signature of %q is refused", vector.message)
		}
		for name, change := range map[string]func(s []byte){
			"S + L":        func(s []byte) { addTo(s[32:], groupOrder) },
			"S = L":        func(s []byte) { copy(s[32:], groupOrder[:]) },
			"S = 0":        func(s []byte) { clear(s[32:]) },
			"S = 2^256-1":  func(s []byte) { copy(s[32:], bytes.Repeat([]byte{0xff}, 32)) },
			"R = 0":        func(s []byte) { clear(s[:32]) },
			"R = neutral":  func(s []byte) { clear(s[:32]); s[0] = 1 },
			"R = p":        func(s []byte) { copy(s, fieldPrime[:]) },
			"sign of R":    func(s []byte) { s[31] ^= 0x80 },
			"R, S swapped": func(s []byte) { copy(s, append(bytes.Clone(s[32:]), s[:32]...)) },
			"all zero":     func(s []byte) { clear(s) },
		} {
			bad := line
			change(bad.Signature[:])
			if public.covers(message, bad) {
				t.Errorf("%s: accepted", name)
			}
			if impossible := strings.HasPrefix(name, "S + ") || name == "S = L" || name == "S = 2^256-1"; impossible && !isImpossible(bad.Signature) {
				t.Errorf("%s: called possible", name)
			}
		}
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	var data []byte
	if _, err := fmt.Sscanf(text, "%x", &data); err != nil && text != "" {
		t.Fatal(err)
	}
	return data
}

func addTo(number []byte, summand [32]byte) {
	carry := 0
	for i := range number {
		sum := int(number[i]) + int(summand[i]) + carry
		number[i], carry = byte(sum), sum>>8
	}
}

func TestParsePrivateKey(t *testing.T) {
	key := testKey(7)
	for name, text := range map[string][]byte{
		"version 1": key.privatePEM(),
		"version 2": pkcs8v2(t, key, key.public.key),
	} {
		parsed, err := ParsePrivateKey(text)
		if err != nil || !parsed.private.Equal(key.private) || parsed.Public().Fingerprint() != key.Public().Fingerprint() {
			t.Errorf("%s: %v, %v", name, parsed, err)
		}
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"empty":               nil,
		"public key":          []byte(fixedPEM),
		"two":                 append(key.privatePEM(), key.privatePEM()...),
		"not PKCS#8":          pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key.private.Seed()}),
		"other algorithm":     pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		"another's publicity": pkcs8v2(t, key, testKey(8).public.key),
	} {
		if parsed, err := ParsePrivateKey(text); parsed != nil || item.TypeOf(err) != item.TypeUsage {
			t.Errorf("%s: %v, %v", name, parsed, err)
		}
	}
}

// pkcs8v2 is a OneAsymmetricKey of RFC 5958 with the given public key.
func pkcs8v2(t *testing.T, key *Key, public []byte) []byte {
	t.Helper()
	seed, err := asn1.Marshal(key.private.Seed())
	if err != nil {
		t.Fatal(err)
	}
	type algorithm struct{ ID asn1.ObjectIdentifier }
	der, err := asn1.Marshal(struct {
		Version    int
		Algorithm  algorithm
		PrivateKey []byte
		PublicKey  asn1.BitString `asn1:"tag:1"`
	}{1, algorithm{asn1.ObjectIdentifier{1, 3, 101, 112}}, seed, asn1.BitString{Bytes: public, BitLength: 8 * len(public)}})
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// TestKeyNeverPrintsItself tries every format verb and JSON.
func TestKeyNeverPrintsItself(t *testing.T) {
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(key) //lint:ignore SA9005 that nothing comes out is what is tested
	if err != nil {
		t.Fatal(err)
	}
	outputs := []string{string(encoded)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		outputs = append(outputs, fmt.Sprintf(verb, key), fmt.Sprintf(verb, *key), fmt.Sprintf(verb, []*Key{key}), fmt.Sprintf(verb, struct{ K Key }{*key}))
	}
	seed := key.private.Seed()
	for _, output := range outputs {
		for _, secret := range []string{string(seed), fmt.Sprintf("%x", seed), fmt.Sprintf("%d", seed[:8])[1:20], fmt.Sprintf("%#v", seed[:4])[7:20]} {
			if strings.Contains(output, secret) {
				t.Errorf("the private key is in %q", output)
			}
		}
	}
}
