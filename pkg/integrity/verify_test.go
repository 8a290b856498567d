package integrity

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/ryeos/rye/pkg/item"
)

const script = "#!/usr/bin/env python3\nprint('hello')\n"

func TestVerifyAccepts(t *testing.T) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(t, key)}
	for _, test := range []struct {
		kind          item.Kind
		path, content string
	}{
		{item.Tool, "my/x.py", script},
		{item.Tool, "my/x.py", ""},
		{item.Tool, "x.sh", "#!/bin/sh"},
		{item.Tool, "x.js", "// a\r\n"},
		{item.Tool, "x.lua", "return 1"},
		{item.Tool, "x.json", "{}"},
		{item.Tool, "no-extension", "\xef\xbb\xbf\x00\n"},
		{item.Directive, "a/b.md", "# Title\n<directive name=\"b\"/>\n"},
		{item.Knowledge, "k.yaml", "name: k\n"},
		{item.Config, "agent.toml", "a = 1\n"},
		{item.Dependency, ".ai/tools/lib/__init__.py", ""},
		{item.Tool, "doc.py", "x = '# rye:signed:v2:'\n# see rye:signed:v2:\n# rye:signed:<TIME>\n"},
	} {
		src := sign(t, key, test.kind, test.path, test.content)
		got, err := verifier.Verify(src)
		if err != nil {
			t.Errorf("%s %s: %v", test.kind, test.path, err)
			continue
		}
		if !got.Valid() || got.Waived() != nil || got.Version() != 2 || got.Signer() != key.Public().Fingerprint() ||
			got.Owner() != "ann" || !got.SignedAt().Equal(signedAt) || !bytes.Equal(got.Bytes(), src.Data) ||
			got.Kind() != test.kind || got.Path() != test.path || len(got.Digest()) != 64 {
			t.Errorf("%s %s: %+v", test.kind, test.path, got)
		}
	}
}

// refusal is one way in which a signed file goes wrong. change gets the lines of a Python tool: the shebang, the
// signature, the code.
type refusal struct {
	name    string
	reason  Reason
	change  func(src *Source, shebang, signature, code string)
	message string
	hint    string
}

func setLines(lines ...string) func(*Source, string, string, string) {
	return func(src *Source, shebang, signature, code string) {
		text := strings.NewReplacer("SHEBANG", shebang, "SIG", signature, "CODE", code)
		src.Data = []byte(text.Replace(strings.Join(lines, "")))
	}
}

var refusals = []refusal{
	{"line removed", Unsigned, setLines("SHEBANG\n", "CODE\n"),
		"Unsigned item: .ai/tools/my/x.py\n  Kind: tool\n  Expected: # rye:signed:…", "rye sign tool:my/x"},
	{"empty file", Unsigned, setLines(), "Unsigned item", "rye sign tool:my/x"},
	{"line emptied", Stripped, setLines("SHEBANG\n", "# rye:signed:\n", "CODE\n"),
		"Signature line is cut short: .ai/tools/my/x.py:2", "rye sign tool:my/x"},
	{"no shebang left", Misplaced, setLines("CODE\n", "SIG\n"),
		"Signature line is not the first line (or the one right after #!): .ai/tools/my/x.py:2", "rye sign tool:my/x"},
	{"blank line before", Misplaced, setLines("SHEBANG\n", "\n", "SIG\n", "CODE\n"), "x.py:3", "rye sign tool:my/x"},
	{"before the shebang", Misplaced, setLines("SIG\n", "SHEBANG\n", "CODE\n"), "x.py:1", "rye sign tool:my/x"},
	{"twice", Duplicate, setLines("SHEBANG\n", "SIG\n", "SIG\n", "CODE\n"),
		"Second signature line: .ai/tools/my/x.py:3", "Remove the line that is not the file's signature, then: rye sign tool:my/x"},
	{"a sloppy one at the end", Duplicate, setLines("SHEBANG\n", "SIG\n", "CODE\n", "  // Rye:Signed:V2:x"), "x.py:4", "rye sign"},
	{"an old one in a string", Duplicate, setLines("SHEBANG\n", "SIG\n", "s = '''\nrye:signed:2020-01-01T00:00:00Z:'''\n"), "x.py:4", "rye sign"},
	{"CR LF", CRLF, setLines("SHEBANG\n", "SIG\r\n", "CODE\n"), "Signature line ends in CR LF instead of LF: .ai/tools/my/x.py:2", "rye sign tool:my/x"},
	{"not ended", Unterminated, setLines("SHEBANG\n", "SIG"), "Signature line has no line end: .ai/tools/my/x.py:2", "rye sign tool:my/x"},
	{"indented", Indented, setLines("SHEBANG\n", " SIG\n", "CODE\n"), "Signature line is indented: .ai/tools/my/x.py:2", "rye sign tool:my/x"},
	{"BOM", BOM, setLines("\ufeff", "SHEBANG\n", "SIG\n", "CODE\n"), "File starts with a byte order mark",
		"Save the file as UTF-8 without a byte order mark, then: rye sign tool:my/x"},
	{"UTF-16", BOM, setLines("\xff\xfe", "SIG\n"), "byte order mark", "rye sign tool:my/x"},
	{"trailing text", TrailingText, setLines("SHEBANG\n", "SIG  # ok\n", "CODE\n"), "Signature line is followed by more text", "rye sign tool:my/x"},
	{"beside its own line", Ambiguous, func(src *Source, _, signature, _ string) { src.Detached = []byte(signature[2:] + "\n") },
		"Detached signature beside a file that carries its own signature line: .ai/tools/my/x.py.rye-sig", "Remove the extra file: rm .ai/tools/my/x.py.rye-sig"},
	{"wrong comment", WrongComment, func(src *Source, shebang, signature, code string) {
		src.Data = []byte(shebang + "\n//" + signature[1:] + "\n" + code + "\n")
	}, "Signature line is in the wrong comment syntax: .ai/tools/my/x.py:2\n  Expected: # rye:signed:…", "rye sign tool:my/x"},
	{"commented out", WrongComment, setLines("SHEBANG\n", "# SIG\n", "CODE\n"), "wrong comment syntax", "rye sign tool:my/x"},
	{"two spaces", Malformed, func(src *Source, shebang, signature, _ string) {
		src.Data = []byte(shebang + "\n# " + signature[1:] + "\n")
	}, "Signature line is malformed: .ai/tools/my/x.py:2\n  exactly one space", "rye sign tool:my/x"},
	{"upper case", UpperCase, func(src *Source, shebang, signature, _ string) {
		src.Data = []byte(shebang + "\n" + signature[:len(signature)-16] + strings.ToUpper(signature[len(signature)-16:]) + "\n")
	}, "Signature line has upper-case letters: .ai/tools/my/x.py:2", "rye sign tool:my/x"},
	{"padded", Padded, func(src *Source, shebang, signature, _ string) {
		cut := len(signature) - 17
		src.Data = []byte(shebang + "\n" + signature[:cut] + "==" + signature[cut:] + "\n")
	}, "Signature is base64 with padding: .ai/tools/my/x.py:2", "rye sign tool:my/x"},
	{"loose base64", LooseBase64, func(src *Source, shebang, signature, _ string) {
		last := len(signature) - 18 // the last character of the signature: one of A, Q, g, w
		src.Data = []byte(shebang + "\n" + signature[:last] + string(signature[last]+1) + signature[last+1:] + "\n")
	}, "Signature is not the shortest base64 of its bytes: .ai/tools/my/x.py:2", "rye sign tool:my/x"},
	{"version 3", UnknownVersion, func(src *Source, shebang, signature, _ string) {
		src.Data = []byte(shebang + "\n" + strings.Replace(signature, ":v2:", ":v3:", 1) + "\n")
	}, "Signature line has an unknown format version: .ai/tools/my/x.py:2\n  v3", "Update rye; or sign the file again: rye sign tool:my/x"},
	{"version 1", V1Refused, func(src *Source, shebang, signature, _ string) {
		src.Data = []byte(shebang + "\n" + strings.Replace(signature, ":v2:", ":", 1) + "\n")
	}, "Signature line is of the old format 1", "Sign it in the current format: rye sign tool:my/x"},
	{"edited", Modified, setLines("SHEBANG\n", "SIG\n", "CODE # really\n"),
		"Content modified since signing: .ai/tools/my/x.py\n  Expected hash: ", "Check what was changed, then sign it again: rye sign tool:my/x"},
	{"shebang edited", Modified, setLines("SHEBANG -i\n", "SIG\n", "CODE\n"), "Content modified since signing", "rye sign tool:my/x"},
	{"line end changed", Modified, setLines("SHEBANG\n", "SIG\n", "CODE\r\n"), "Content modified since signing", "rye sign tool:my/x"},
	{"renamed", Moved, func(src *Source, _, _, _ string) { src.Path, src.Ref = "my/y.py", "tool:my/y" },
		"Signature does not fit this kind and path: .ai/tools/my/x.py\n  Signed by: FP (ann)\n  The file was moved or renamed since signing, or its signature line was altered",
		"Check where the file comes from, then sign it here: rye sign tool:my/y"},
	{"other letter case", Moved, func(src *Source, _, _, _ string) { src.Path = "My/x.py" }, "does not fit", "rye sign tool:my/x"},
	{"used as config", WrongKind, func(src *Source, _, _, _ string) { src.Kind, src.Ref = item.Config, "config:my/x" },
		"Signature is for another kind of item: .ai/tools/my/x.py\n  Signed by: FP (ann)\n  Signed as a tool, not as a config", "rye sign config:my/x"},
	{"tool used as dependency", WrongKind, func(src *Source, _, _, _ string) { src.Kind, src.Path = item.Dependency, ".ai/tools/my/x.py" },
		"Signed as a tool, not as a dependency", "rye sign tool:my/x"},
	{"other time", Moved, func(src *Source, _, _, _ string) {
		src.Data = bytes.Replace(src.Data, []byte("05:06:07Z"), []byte("05:06:08Z"), 1)
	},
		"does not fit", "rye sign tool:my/x"},
	{"S + L", BadSignature, func(src *Source, _, _, _ string) { src.Data = addGroupOrder(src.Data) },
		"Ed25519 signature verification failed: .ai/tools/my/x.py\n  Signed by: FP (ann)\n  This may indicate the file was tampered with after signing",
		"Check where the file comes from, then sign it here: rye sign tool:my/x"},
	{"unknown key", Untrusted, func(src *Source, _, _, _ string) {
		src.Data, _, _ = Sign(testKey(9), item.Tool, "my/x.py", "", []byte(script), signedAt)
	}, "Untrusted key " + testKey(9).Public().Fingerprint() + " for .ai/tools/my/x.py\n  Trusted keys: FP", "rye keys trust FILE"},
	{"other fingerprint", Untrusted, func(src *Source, _, _, _ string) {
		src.Data = bytes.Replace(src.Data, []byte(testKey(1).Public().Fingerprint()), []byte("0123456789abcdef"), 1)
	}, "Untrusted key 0123456789abcdef", "rye keys trust FILE"},
}

func TestVerifyRefuses(t *testing.T) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(t, key)}
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			src := sign(t, key, item.Tool, "my/x.py", script)
			lines := strings.Split(string(src.Data), "\n")
			test.change(&src, lines[0], lines[1], lines[2])
			checkRefusal(t, verifier, src, test.reason, strings.ReplaceAll(test.message, "FP", key.Public().Fingerprint()), test.hint)
		})
	}
}

func checkRefusal(t *testing.T, verifier *Verifier, src Source, reason Reason, message, hint string) {
	t.Helper()
	verified, err := verifier.Verify(src)
	e, failure := failureOf(t, err)
	if verified.Valid() || verified.Bytes() != nil {
		t.Error("a refused file came out verified")
	}
	if failure.Reason != reason {
		t.Errorf("reason %s, want %s", failure.Reason, reason)
	}
	if failure.File != src.File || failure.Kind != src.Kind || failure.Space != src.Space {
		t.Errorf("the failure names another file: %+v", failure)
	}
	if e.Message != failure.Error() || !strings.Contains(e.Message, message) {
		t.Errorf("message:\n%s\nwant:\n%s", e.Message, message)
	}
	if !strings.Contains(strings.Join(e.Hints, "\n"), hint) {
		t.Errorf("hints %q lack %q", e.Hints, hint)
	}
}

func TestVerifyRefusesDetached(t *testing.T) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(t, key)}
	good := sign(t, key, item.Tool, "my/x.json", "{}\n")
	line := string(good.Detached)
	for name, test := range map[string]struct {
		data, detached string
		reason         Reason
		place          string
	}{
		"missing":          {"{}\n", "", Unsigned, ".ai/tools/my/x.json\n"},
		"line in the file": {"# " + line + "{}\n", "", NeedsDetached, ".ai/tools/my/x.json:1"},
		"both":             {"# " + line + "{}\n", line, NeedsDetached, ".ai/tools/my/x.json:1"},
		"empty":            {"{}\n", "\n", Stripped, "x.json.rye-sig:1"},
		"comment":          {"{}\n", "# " + line, WrongComment, "x.json.rye-sig:1"},
		"CR LF":            {"{}\n", strings.TrimSpace(line) + "\r\n", CRLF, "x.json.rye-sig:1"},
		"no line end":      {"{}\n", strings.TrimSpace(line), Unterminated, "x.json.rye-sig:1"},
		"indented":         {"{}\n", " " + line, Indented, "x.json.rye-sig:1"},
		"twice":            {"{}\n", line + line, Duplicate, "x.json.rye-sig:2"},
		"more lines":       {"{}\n", line + "\n", TrailingText, "x.json.rye-sig:1"},
		"BOM":              {"{}\n", "\ufeff" + line, BOM, "x.json.rye-sig:1"},
		"edited":           {"{} \n", line, Modified, ".ai/tools/my/x.json\n"},
	} {
		t.Run(name, func(t *testing.T) {
			src := good
			src.Data, src.Detached = []byte(test.data), nil
			if test.detached != "" {
				src.Detached = []byte(test.detached)
			}
			checkRefusal(t, verifier, src, test.reason, test.place, "rye sign tool:my/x")
		})
	}
}

func TestVerifyRefusesMarkdown(t *testing.T) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(t, key)}
	good := sign(t, key, item.Directive, "d.md", "# Title\n")
	for name, test := range map[string]struct {
		from, to string
		reason   Reason
	}{
		"no space before the end": {" -->", "-->", Malformed},
		"text after the comment":  {" -->", " --> x", TrailingText},
		"comment stays open":      {" -->", "", Malformed},
		"hash comment":            {"<!-- rye", "# rye", WrongComment},
		"no space at the start":   {"<!-- rye", "<!--rye", Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			src := good
			src.Data = bytes.Replace(good.Data, []byte(test.from), []byte(test.to), 1)
			checkRefusal(t, verifier, src, test.reason, ".ai/directives/d.md:1", "rye sign directive:d")
		})
	}
}

// TestEveryByteCounts changes each byte of a signed file, and of a detached signature: in one bit, and in letter case.
func TestEveryByteCounts(t *testing.T) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(t, key)}
	for _, path := range []string{"x.py", "x.json"} {
		src := sign(t, key, item.Tool, path, "#!/bin/sh\nab\n")
		for _, part := range []*[]byte{&src.Data, &src.Detached} {
			for i := range *part {
				for _, flip := range []byte{1 << (i % 5), 0x20} {
					(*part)[i] ^= flip
					if _, err := verifier.Verify(src); err == nil {
						t.Errorf("%s: byte %d does not count: %q", path, i, *part)
					}
					(*part)[i] ^= flip
				}
			}
		}
		if _, err := verifier.Verify(src); err != nil {
			t.Error("the original is refused: ", err)
		}
	}
}

// TestSignatureBindsIdentity signs a file once and tries it under every other identity.
func TestSignatureBindsIdentity(t *testing.T) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(t, key)}
	kinds := append(item.Kinds(), item.Dependency)
	paths := []string{"a.yaml", "A.yaml", "a/a.yaml", "caf\u00e9.yaml", "cafe\u0301.yaml"}
	for _, kind := range kinds {
		for _, path := range paths {
			signed := sign(t, key, kind, path, "a: 1\n")
			for _, otherKind := range kinds {
				for _, otherPath := range paths {
					if kind != otherKind && path != otherPath {
						continue
					}
					src := signed
					src.Kind, src.Path = otherKind, otherPath
					_, err := verifier.Verify(src)
					if same := kind == otherKind && path == otherPath; same != (err == nil) {
						t.Fatalf("%s %s as %s %s: %v", kind, path, otherKind, otherPath, err)
					}
				}
			}
		}
	}
}

func TestVerifyDependency(t *testing.T) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(t, key)}
	asDependency := sign(t, key, item.Dependency, ".ai/tools/my/lib.py", "x = 1\n")
	asDependency.Kind, asDependency.Path = item.Tool, "my/lib.py"
	asTool := sign(t, key, item.Tool, "my/lib.py", "x = 1\n")

	for want, src := range map[item.Kind]Source{item.Dependency: asDependency, item.Tool: asTool} {
		got, err := verifier.VerifyDependency(src, ".ai/tools/my/lib.py")
		if err != nil || got.Kind() != want {
			t.Errorf("signed as %s: %v, %s", want, err, got.Kind())
		}
		if _, err := verifier.VerifyDependency(src, ".ai/tools/other/lib.py"); (err == nil) != (want == item.Tool) {
			t.Errorf("signed as %s, at another path: %v", want, err)
		}
		src.Kind = ""
		if _, err := verifier.VerifyDependency(src, ".ai/tools/my/lib.py"); (err == nil) != (want == item.Dependency) {
			t.Errorf("signed as %s, not an item: %v", want, err)
		}
	}
	_, err := verifier.Verify(asDependency)
	if _, failure := failureOf(t, err); failure.Reason != WrongKind || !strings.Contains(failure.Error(), "Signed as a dependency, not as a tool") {
		t.Errorf("a dependency is executable: %v", err)
	}
}

func TestDevMode(t *testing.T) {
	key := testKey(1)
	var warnings []string
	verifier := &Verifier{Trust: trusting(t, key), DevMode: true, Warn: func(msg string) { warnings = append(warnings, msg) }}
	src := sign(t, key, item.Tool, "x.py", script)
	src.Data = append(src.Data, "more\n"...)

	got, err := verifier.Verify(src)
	if err != nil || !got.Valid() || got.Version() != 0 || got.Signer() != "" {
		t.Fatalf("%v, %+v", err, got)
	}
	if _, failure := failureOf(t, got.Waived()); failure.Reason != Modified || got.Digest() != failure.Actual {
		t.Errorf("waived %v, digest %s", failure, got.Digest())
	}
	if len(warnings) != 1 || strings.Contains(warnings[0], "\n") || !strings.HasPrefix(warnings[0], "[DEV MODE] Content modified") {
		t.Errorf("warnings: %q", warnings)
	}

	src.System = true
	_, err = verifier.Verify(src)
	if e, _ := failureOf(t, err); len(e.Hints) != 1 || !strings.Contains(e.Hints[0], "rye doctor") || len(warnings) != 1 {
		t.Errorf("a system item was waived, or is to be signed: %v %q", e.Hints, warnings)
	}
}

// unreadable is a file system in which everything exists and nothing can be read.
type unreadableFS struct{}

func (unreadableFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// TestCouldNotCheck: an unreadable trust document is neither a bad signature nor waived.
func TestCouldNotCheck(t *testing.T) {
	store := NewTrustStore(TrustSource{Space: "user", FS: unreadableFS{}, Display: "home/keys"})
	verifier := &Verifier{Trust: store, DevMode: true}
	got, err := verifier.Verify(sign(t, testKey(1), item.Tool, "x.py", script))
	var check *CheckError
	var failure *Failure
	if got.Valid() || !errors.As(err, &check) || errors.As(err, &failure) || item.TypeOf(err) != item.TypeInternal {
		t.Fatalf("%+v %v", got, err)
	}
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "home/keys/"+testKey(1).Public().Fingerprint()+".toml") {
		t.Error(err)
	}
	if hints := item.HintsOf(err); len(hints) != 1 || !strings.Contains(hints[0], "ls -l home/keys/") {
		t.Errorf("%q", hints)
	}
}

func TestVerifyRefusesBadIdentity(t *testing.T) {
	verifier := &Verifier{}
	for _, id := range []identity{{"", "x.py"}, {"tools", "x.py"}, {item.Tool, ""}, {item.Tool, "/x"}, {item.Tool, "../x.py"}, {item.Tool, "a//x"}, {item.Tool, "."}} {
		if got, err := verifier.Verify(Source{Kind: id.kind, Path: id.path}); err == nil || got.Valid() || item.TypeOf(err) != item.TypeInternal {
			t.Errorf("%v: %v", id, err)
		}
	}
}

func TestZeroValuesTrustNobody(t *testing.T) {
	if (Verified{}).Valid() || (Verified{}).Digest() != "" {
		t.Error("the zero Verified claims something")
	}
	_, err := new(Verifier).Verify(sign(t, testKey(1), item.Tool, "x.py", script))
	if _, failure := failureOf(t, err); failure.Reason != Untrusted || !strings.Contains(failure.Error(), "Trusted keys: none") {
		t.Error(err)
	}
}

// TestMessagesCannotSteerTerminals: names come from whoever wrote the project.
func TestMessagesCannotSteerTerminals(t *testing.T) {
	src := Source{Kind: item.Tool, Path: "x.py", File: "a\x1b[2J\u202e; rm 'b'.py"}
	_, err := new(Verifier).Verify(src)
	e, _ := failureOf(t, err)
	for _, text := range append(slices.Clone(e.Hints), e.Message) {
		if strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%q", text)
		}
	}
	src.File = "it's $(here).py"
	_, err = new(Verifier).Verify(src)
	if hints := item.HintsOf(err); hints[0] != `rye sign 'it'\''s $(here).py'` {
		t.Errorf("%q", hints)
	}
}

func TestVerifyConcurrently(t *testing.T) {
	key, friend := testKey(1), testKey(2)
	verifier := &Verifier{Trust: NewTrustStore(
		TrustSource{Space: "user", FS: documentOf(t, key, "ann", key), Display: "user"},
		TrustSource{Space: "project", FS: documentOf(t, friend, "bob", key), Display: "project", NeedsSignature: true},
	)}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			src := sign(t, []*Key{key, friend}[i%2], item.Tool, "x.py", script)
			for range 5 {
				if _, err := verifier.Verify(src); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// addGroupOrder adds L to the scalar of the signature, which a lenient verifier reduces away again.
func addGroupOrder(data []byte) []byte {
	text := string(data)
	end := strings.Index(text, "\n"+"print") - 17
	signature, _ := base64.RawURLEncoding.DecodeString(text[end-signatureLength : end])
	carry := 0
	for i := range groupOrder {
		sum := int(signature[32+i]) + int(groupOrder[i]) + carry
		signature[32+i], carry = byte(sum), sum>>8
	}
	return []byte(text[:end-signatureLength] + base64.RawURLEncoding.EncodeToString(signature) + text[end:])
}

// FuzzVerify: what is accepted is, byte for byte, what Sign writes.
func FuzzVerify(f *testing.F) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(f, key), AcceptV1: true}
	paths := []string{"x.py", "x.md", "x.json", "x.js", "x.lua"}
	for i, path := range paths {
		src := sign(f, key, item.Tool, path, script)
		f.Add(src.Data, src.Detached, uint8(i))
		f.Add(bytes.ReplaceAll(src.Data, []byte("\n"), []byte("\r\n")), src.Detached, uint8(i))
		f.Add(bytes.ToUpper(src.Data), bytes.ToUpper(src.Detached), uint8(i+1))
	}
	f.Fuzz(func(t *testing.T, data, detached []byte, which uint8) {
		if len(detached) == 0 {
			detached = nil
		}
		path := paths[int(which)%len(paths)]
		got, err := verifier.Verify(Source{Kind: item.Tool, Path: path, File: path, Data: data, Detached: detached})
		if err != nil {
			failureOf(t, err)
			return
		}
		signed, beside, err := Sign(key, item.Tool, path, path, data, got.SignedAt())
		if err != nil || !bytes.Equal(signed, data) || !bytes.Equal(beside, detached) {
			t.Fatalf("accepted %q with %q, signed %q with %q: %v", data, detached, signed, beside, err)
		}
	})
}

func BenchmarkVerify4K(b *testing.B) {
	key := testKey(1)
	dir := b.TempDir()
	for name, file := range documentOf(b, key, "ann", key) {
		if err := os.WriteFile(filepath.Join(dir, name), file.Data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	verifier := &Verifier{Trust: NewTrustStore(
		TrustSource{Space: "system", FS: fstest.MapFS{}},
		TrustSource{Space: "user", FS: os.DirFS(dir), Display: dir},
	)}
	src := sign(b, key, item.Tool, "my/x.py", strings.Repeat("value = compute(value, 17)  # more\n", 4096/35))
	b.SetBytes(int64(len(src.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := verifier.Verify(src); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEd25519 is the part of BenchmarkVerify4K that rye cannot make faster.
func BenchmarkEd25519(b *testing.B) {
	key, message := testKey(1), make([]byte, 192)
	signature := ed25519.Sign(key.private, message)
	for b.Loop() {
		ed25519.Verify(key.public.key, message, signature)
	}
}
