package integrity

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

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

// addGroupOrder adds L to the scalar of the signature, which a lenient verifier reduces away again.
func addGroupOrder(data []byte) []byte {
	text := string(data)
	end := strings.Index(text, "\n"+"print") - 17
	signature, _ := base64.RawURLEncoding.DecodeString(text[end-signatureLength : end])
	addTo(signature[32:], groupOrder)
	return []byte(text[:end-signatureLength] + base64.RawURLEncoding.EncodeToString(signature) + text[end:])
}
