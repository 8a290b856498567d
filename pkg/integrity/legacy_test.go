package integrity

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// legacyLine signs what RYE OS would have hashed, with padded base64 as it wrote it.
func legacyLine(key *Key, hashed string) string {
	digest := sha256.Sum256([]byte(hashed))
	text := hex.EncodeToString(digest[:])
	signature := ed25519.Sign(key.private, []byte(text))
	return "rye:signed:2025-01-02T03:04:05Z:" + text + ":" + base64.URLEncoding.EncodeToString(signature) + ":" + key.public.fingerprint
}

func TestVersion1(t *testing.T) {
	key := testKey(1)
	const directive = "<directive name=\"d\">\n</directive>"
	for name, test := range map[string]struct {
		kind       item.Kind
		path       string
		hashed     string
		file       string // LINE stands for the signature line
		unsignedAs Reason // "" when version 1 accepts the file
	}{
		"tool":                   {item.Tool, "x.py", "print(1)\n", "# LINE\nprint(1)\n", ""},
		"tool with shebang":      {item.Tool, "x.py", "print(1)\n", "#!/usr/bin/python\n# LINE\nprint(1)\n", ""},
		"shebang is not covered": {item.Tool, "x.py", "print(1)\n", "#!/bin/other\n# LINE\nprint(1)\n", ""},
		"shebang on line 2":      {item.Tool, "x.js", "run()\n", "// LINE\n#!/usr/bin/env node\nrun()\n", ""},
		"provenance":             {item.Tool, "x.py", "print(1)\n", "# LINE|central@ann-1\nprint(1)\n", ""},
		"config":                 {item.Config, "x.toml", "a = 1\n", "# LINE\na = 1\n", ""},
		"directive":              {item.Directive, "d.md", directive, "<!-- LINE -->\n# T\n```xml\n" + directive + "\n```\nbody\n", ""},
		"knowledge":              {item.Knowledge, "k.md", "text", "<!-- LINE -->\n---\nname: k\n---\n\ntext\n", ""},
		"knowledge, no fence":    {item.Knowledge, "k.md", "# Title\n", "<!-- LINE -->\n# Title\n", ""},

		"edited":            {item.Tool, "x.py", "print(1)\n", "# LINE\nprint(2)\n", Modified},
		"no directive":      {item.Directive, "d.md", directive, "<!-- LINE -->\n<directives/>\n", Malformed},
		"bad provenance":    {item.Tool, "x.py", "print(1)\n", "# LINE|central\nprint(1)\n", Malformed},
		"trailing text":     {item.Tool, "x.py", "print(1)\n", "# LINE x\nprint(1)\n", TrailingText},
		"more fields":       {item.Tool, "x.py", "print(1)\n", "# LINE:x\nprint(1)\n", Malformed},
		"CR LF":             {item.Tool, "x.py", "print(1)\n", "# LINE\r\nprint(1)\n", CRLF},
		"twice":             {item.Tool, "x.py", "print(1)\n", "# LINE\n# LINE\nprint(1)\n", Duplicate},
		"JSON with comment": {item.Tool, "x.json", "{}\n", "# LINE\n{}\n", NeedsDetached},
	} {
		t.Run(name, func(t *testing.T) {
			src := Source{Kind: test.kind, Path: test.path, File: test.path, Ref: "tool:x"}
			src.Data = []byte(strings.ReplaceAll(test.file, "LINE", legacyLine(key, test.hashed)))
			got, err := (&Verifier{Trust: trusting(t, key), AcceptV1: true}).Verify(src)
			if test.unsignedAs != "" {
				if _, failure := failureOf(t, err); failure.Reason != test.unsignedAs {
					t.Errorf("%s: %v", failure.Reason, err)
				}
				return
			}
			if err != nil || got.Version() != 1 || got.Signer() != key.public.fingerprint || len(got.Digest()) != 64 {
				t.Fatalf("%v %+v", err, got)
			}
			_, err = (&Verifier{Trust: trusting(t, key)}).Verify(src)
			if e, failure := failureOf(t, err); failure.Reason != V1Refused || !strings.Contains(strings.Join(e.Hints, "\n"), "trust.accept_v1") {
				t.Errorf("without AcceptV1: %v", err)
			}
		})
	}
}

// TestVersion1Signature: a digest that fits is not enough.
func TestVersion1Signature(t *testing.T) {
	key, other := testKey(1), testKey(2)
	verifier := &Verifier{Trust: trusting(t, key), AcceptV1: true}
	forged := strings.Replace(legacyLine(other, "x\n"), other.public.fingerprint, key.public.fingerprint, 1)
	for line, reason := range map[string]Reason{forged: BadSignature, legacyLine(other, "x\n"): Untrusted} {
		_, err := verifier.Verify(Source{Kind: item.Tool, Path: "x.py", Data: []byte("# " + line + "\nx\n")})
		if _, failure := failureOf(t, err); failure.Reason != reason {
			t.Errorf("%s, want %s", failure.Reason, reason)
		}
	}
}

// TestVersionsDoNotMix: a version 2 signature is none of version 1, and the reverse.
func TestVersionsDoNotMix(t *testing.T) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(t, key), AcceptV1: true}
	v2 := string(sign(t, key, item.Tool, "x.py", "x\n").Data)
	v1 := "# " + legacyLine(key, "x\n") + "\nx\n"
	asV1 := strings.Replace(v2, ":v2:", ":", 1)
	asV2 := strings.Replace(strings.Replace(v1, "signed:", "signed:v2:", 1), "==:", ":", 1)
	for text, reason := range map[string]Reason{asV1: BadSignature, asV2: Moved} {
		_, err := verifier.Verify(Source{Kind: item.Tool, Path: "x.py", Data: []byte(text)})
		if _, failure := failureOf(t, err); failure.Reason != reason {
			t.Errorf("%q: %s", text, failure.Reason)
		}
	}
}
