package integrity

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func TestTrustDocument(t *testing.T) {
	key := testKey(1)
	for _, test := range []struct{ owner, attestation, reads string }{
		{"ann", "", "ann"},
		{"", "met in person", "unknown"},
		{`"quoted" \ 'both' <&> ü 🔑`, `"""`, `"quoted" \ 'both' <&> ü 🔑`},
		{"remote:box:127.0.0.1:8000", "x", "remote:box:127.0.0.1:8000"},
	} {
		for _, signer := range []*Key{nil, key, testKey(2)} {
			data, err := TrustDocument(key.Public(), test.owner, test.attestation, signer, signedAt)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ReadTrustDocument(data)
			if err != nil {
				t.Fatalf("%v:\n%s", err, data)
			}
			if got.Owner != test.reads || got.Attestation != test.attestation || got.Version != "1.0.0" ||
				got.Fingerprint != key.Public().Fingerprint() || string(got.Key.PEM()) != string(key.Public().PEM()) {
				t.Errorf("%+v", got)
			}
			if signer != nil && got.Signer != signer.Public().Fingerprint() || signer == nil && got.Signer != "" {
				t.Errorf("signer %q", got.Signer)
			}
		}
	}
}

// TestTrustDocumentIsAConfig: the document verifies as the config item that it is.
func TestTrustDocumentIsAConfig(t *testing.T) {
	key := testKey(1)
	data, err := TrustDocument(key.Public(), "ann", "", key, signedAt)
	if err != nil {
		t.Fatal(err)
	}
	src := Source{Kind: item.Config, Path: "keys/trusted/" + key.Public().Fingerprint() + ".toml", Data: data}
	if _, err := (&Verifier{Trust: trusting(t, key)}).Verify(src); err != nil {
		t.Error(err)
	}
}

func TestTrustDocumentRefuses(t *testing.T) {
	public := testKey(1).Public()
	for _, text := range []string{"a\nb", "a\x00", "\x1b[31m", "\u202e", "\xff", strings.Repeat("a", maxDocumentText+1)} {
		for _, fields := range [][2]string{{text, ""}, {"", text}} {
			if data, err := TrustDocument(public, fields[0], fields[1], nil, signedAt); err == nil || data != nil {
				t.Errorf("wrote %q", data)
			}
		}
	}
}

func TestReadTrustDocumentRefuses(t *testing.T) {
	key := testKey(1)
	data, err := TrustDocument(key.Public(), "ann", "", nil, signedAt)
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	for name, test := range map[string]struct{ text, message string }{
		"empty":             {"", "no PEM block"},
		"too long":          {good + strings.Repeat("#\n", maxDocument/2), "longer than"},
		"BOM":               {"\ufeff" + good, "byte order mark"},
		"wrong type":        {strings.Replace(good, `"ann"`, "5", 1), "not valid TOML"},
		"twice":             {good + good, "not valid TOML"},
		"other fingerprint": {strings.Replace(good, key.Public().Fingerprint(), "0123456789abcdef", 1), "fingerprint"},
		"no fingerprint":    {strings.Replace(good, "fingerprint =", "print =", 1), "fingerprint"},
		"private key":       {strings.Replace(good, string(key.Public().PEM()), string(key.privatePEM()), 1), "not a PUBLIC KEY"},
		"control character": {strings.Replace(good, "ann", `\u0007`, 1), "control"},
		"broken signature":  {"# rye:signed:v2:\n" + good, "cut short"},
		"deep":              {"a = " + strings.Repeat("[", maxDocument-10), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadTrustDocument([]byte(test.text))
			if item.TypeOf(err) != item.TypeUsage || !strings.Contains(err.Error(), test.message) || got != (TrustedKey{}) {
				t.Errorf("%v %+v", err, got)
			}
		})
	}
}

// FuzzTrustDocument: what is accepted says the same after it has been written anew.
func FuzzTrustDocument(f *testing.F) {
	for _, signer := range []*Key{nil, testKey(1), testKey(2)} {
		data, err := TrustDocument(testKey(1).Public(), "ann \\ \"", "x", signer, signedAt)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("[public_key]\npem = '''\n" + fixedPEM + "'''"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ReadTrustDocument(data)
		if err != nil {
			if got != (TrustedKey{}) || item.TypeOf(err) != item.TypeUsage {
				t.Fatalf("%v %+v", err, got)
			}
			return
		}
		if got.Fingerprint != Fingerprint(got.Key.PEM()) {
			t.Fatalf("%s is not the fingerprint of %s", got.Fingerprint, got.Key.PEM())
		}
		written, err := TrustDocument(got.Key, got.Owner, got.Attestation, nil, signedAt)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadTrustDocument(written)
		if err != nil || again.Fingerprint != got.Fingerprint || again.Owner != got.Owner || again.Attestation != got.Attestation {
			t.Fatalf("%v: %+v became %+v", err, got, again)
		}
	})
}
