package integrity

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

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
	if got.Valid() || !errors.As(err, &check) || errors.As(err, &failure) || item.TypeOf(err) != item.TypePermission {
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
