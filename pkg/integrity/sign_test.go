package integrity

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// TestSignReplacesOldLines: whatever signature a file starts with, the result is that of the unsigned file.
func TestSignReplacesOldLines(t *testing.T) {
	key := testKey(1)
	const shebang, code = "#!/bin/sh\n", "echo hi\n"
	line := strings.SplitAfter(string(sign(t, key, item.Tool, "x.sh", code).Data), "\n")[0]
	crlf := strings.Replace(line, "\n", "\r\n", 1)
	legacy := "# rye:signed:2020-01-01T00:00:00Z:" + strings.Repeat("0", 64) + ":AAAA==:0123456789abcdef|central@ann\n"

	for name, test := range map[string]struct{ data, unsigned string }{
		"unsigned":              {code, code},
		"signed":                {line + code, code},
		"version 1":             {legacy + code, code},
		"version 3":             {"# rye:signed:v3:x\n" + code, code},
		"CR LF":                 {crlf + code, code},
		"CR LF everywhere":      {crlf + "echo hi\r\n", "echo hi\r\n"},
		"upper case":            {strings.ToUpper(line) + code, code},
		"indented":              {"\t" + line + code, code},
		"other comment":         {"//" + line[1:] + code, code},
		"html comment":          {"<!-- rye:signed:v2:x -->\n" + code, code},
		"several":               {line + crlf + legacy + code, code},
		"after the shebang":     {shebang + line + code, shebang + code},
		"twice after it":        {shebang + crlf + line + code, shebang + code},
		"before the shebang":    {line + shebang + code, shebang + code},
		"around the shebang":    {legacy + shebang + line + code, shebang + code},
		"only the line":         {line, ""},
		"line without line end": {strings.TrimSpace(line), ""},
		"shebang without end":   {"#!/bin/sh", "#!/bin/sh\n"},
		"not at the top":        {code + "# rye:signed:<TIME>\n", code + "# rye:signed:<TIME>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			before := bytes.Clone([]byte(test.data))
			signed, detached, err := Sign(key, item.Tool, "x.sh", "x.sh", []byte(test.data), signedAt)
			if err != nil || detached != nil {
				t.Fatal(err, detached)
			}
			if !bytes.Equal(before, []byte(test.data)) {
				t.Error("the input was changed")
			}
			want := sign(t, key, item.Tool, "x.sh", test.unsigned).Data
			if !bytes.Equal(signed, want) {
				t.Errorf("%q\nwant %q", signed, want)
			}
			file, err := takeApart("x.sh", signed, nil, false)
			if err != nil || string(file.head)+string(file.tail) != test.unsigned {
				t.Errorf("%v: content %q", err, string(file.head)+string(file.tail))
			}
		})
	}
}

func TestSignRefuses(t *testing.T) {
	for name, test := range map[string]struct{ path, data, message string }{
		"BOM":                       {"x.py", "\ufeffx = 1\n", "dir/x.py:1: the file starts with a byte order mark"},
		"signature further down":    {"x.py", "x = 1\n\n# rye:signed:v2:x\n", "dir/x.py:3: a line looks like a signature"},
		"after a replaced one":      {"x.py", "# rye:signed:v2:x\n#!/bin/sh\n# RYE:signed:v2:x\n\n  rye:signed:2:\n", "dir/x.py:5: a line looks"},
		"text after the comment":    {"x.md", "<!-- rye:signed:v2:x --> # Title\n", "dir/x.md:1: the signature line also holds something else"},
		"comment goes on":           {"x.md", "<!-- rye:signed:v2:x\nmore -->\n", "dir/x.md:1: the signature line also holds"},
		"code after the comment":    {"x.js", "/* rye:signed:v2:x */ run()\n", "dir/x.js:1: the signature line also holds"},
		"inline in a detached type": {"x.json", "# rye:signed:v2:x\n{}\n", "dir/x.json:1: this file type is signed in a .rye-sig file"},
	} {
		t.Run(name, func(t *testing.T) {
			signed, detached, err := Sign(testKey(1), item.Tool, test.path, "dir/"+test.path, []byte(test.data), signedAt)
			if item.TypeOf(err) != item.TypeUsage || !strings.HasPrefix(err.Error(), test.message) {
				t.Errorf("%v", err)
			}
			if signed != nil || detached != nil {
				t.Errorf("an error came with %q %q", signed, detached)
			}
		})
	}
}

func TestSignRefusesBadIdentityAndTime(t *testing.T) {
	for _, id := range []identity{{"", "x.py"}, {item.Tool, ""}, {item.Tool, "/x.py"}, {item.Tool, "a/../x.py"}, {item.Dependency, "./x.py"}} {
		if _, _, err := Sign(testKey(1), id.kind, id.path, "x.py", nil, signedAt); err == nil {
			t.Errorf("signed as %v", id)
		}
	}
	for _, year := range []int{-1, 0, 10000} {
		if _, _, err := Sign(testKey(1), item.Tool, "x.py", "x.py", nil, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)); err == nil {
			t.Errorf("signed in the year %d", year)
		}
	}
}

func TestSignUsesUTC(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	signed, _, err := Sign(testKey(1), item.Tool, "x.py", "x.py", nil, time.Date(2026, 1, 1, 1, 2, 3, 999, zone))
	if err != nil || !strings.HasPrefix(string(signed), "# rye:signed:v2:2025-12-31T23:02:03Z:") {
		t.Errorf("%v %s", err, signed)
	}
}

// FuzzSign: a file that can be signed verifies, keeps its content, and signing it again later changes nothing but the line.
func FuzzSign(f *testing.F) {
	key := testKey(1)
	verifier := &Verifier{Trust: trusting(f, key)}
	paths := []string{"x.py", "x.md", "x.json", "x.js"}
	for i, content := range []string{script, "", "#!x", "<!-- rye:signed:v2:x -->\n# T\n", "# rye:signed:2\n#!/x\n# rye:signed:v9\nx", "\r\n// \n"} {
		f.Add([]byte(content), uint8(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		path := paths[int(which)%len(paths)]
		signed, detached, err := Sign(key, item.Tool, path, path, data, signedAt)
		if err != nil {
			var usage *item.Error
			if !errors.As(err, &usage) || usage.Type != item.TypeUsage {
				t.Fatal(err)
			}
			return
		}
		src := Source{Kind: item.Tool, Path: path, File: path, Data: signed, Detached: detached}
		first, err := verifier.Verify(src)
		if err != nil {
			t.Fatalf("%q was signed, but: %v", data, err)
		}
		if src.Data, src.Detached, err = Sign(key, item.Tool, path, path, signed, signedAt.Add(time.Hour)); err != nil {
			t.Fatalf("%q can be signed once only: %v", data, err)
		}
		second, err := verifier.Verify(src)
		if err != nil || first.Digest() != second.Digest() || len(first.Bytes()) != len(second.Bytes()) {
			t.Fatalf("signing %q again changed it: %v", data, err)
		}
		if !second.SignedAt().Equal(signedAt.Add(time.Hour)) {
			t.Fatalf("the old line stayed: %q", src.Data)
		}
	})
}
