package cas

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The digests are those of sha256sum.
func TestStore(t *testing.T) {
	root := filepath.Join(t.TempDir(), "deep", "store")
	s := New(root)
	for _, tt := range []struct {
		kind       Kind
		data, kept string
		hash       string
		file       string
	}{
		{Blob, "hello\n", "hello\n", "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03", "blobs/58/91/%s"},
		{Blob, "", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "blobs/e3/b0/%s"},
		{Object, `{ "b": 1, "a": "é" }`, `{"a":"\u00e9","b":1}`, "6d9eb45284090145dc16661b06abe01185a16a7dabba07c992a131bffa6b8114", "objects/6d/9e/%s.json"},
	} {
		want := []byte(tt.kept)
		hash, err := s.Put(tt.kind, []byte(tt.data))
		if err != nil || hash != tt.hash {
			t.Fatalf("%q: got %s, %v; want %s", tt.data, hash, err, tt.hash)
		}
		file := filepath.Join(root, filepath.FromSlash(fmt.Sprintf(tt.file, hash)))
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s holds %q, %v", file, got, err)
		}
		if got, err := s.Get(tt.kind, strings.ToUpper(hash)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, %v", tt.data, got, err)
		}
		if has, err := s.Has(hash); err != nil || !has {
			t.Errorf("%q: has is %t, %v", tt.data, has, err)
		}
		if _, err := s.Get(1-tt.kind, hash); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q as the other kind: %v", tt.data, err)
		}
	}
}

func TestStoreRefusesHashes(t *testing.T) {
	s := New(t.TempDir())
	for _, hash := range []string{"", "abc", strings.Repeat("g", 64), strings.Repeat("a", 65), "../" + strings.Repeat("a", 61)} {
		if _, err := s.Get(Blob, hash); !errors.Is(err, ErrHash) {
			t.Errorf("get %q: %v", hash, err)
		}
		if _, err := s.Has(hash); !errors.Is(err, ErrHash) {
			t.Errorf("has %q: %v", hash, err)
		}
	}
	if has, err := s.Has(strings.Repeat("a", 64)); has || err != nil {
		t.Errorf("has what was never stored: %t, %v", has, err)
	}
}

// Damage is noticed, and storing the content again repairs it; what is whole is not written again.
func TestStoreDamage(t *testing.T) {
	s := New(t.TempDir())
	hash, err := s.Put(Blob, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	file := s.path(Blob, hash)
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(Blob, []byte("content")); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(file); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was written again: %v", err)
	}
	if err := os.WriteFile(file, []byte("conten"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(Blob, hash); !errors.Is(err, ErrDamaged) {
		t.Errorf("damaged: %v", err)
	}
	if _, err := s.Put(Blob, []byte("content")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(Blob, hash); string(got) != "content" {
		t.Errorf("repaired: %q, %v", got, err)
	}
}

// Many that store the same at once all succeed, and leave one file and nothing else.
func TestStoreTogether(t *testing.T) {
	root := t.TempDir()
	data := bytes.Repeat([]byte("x"), 1<<20)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := New(root).Put(Blob, data); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var files []string
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if len(files) != 1 {
		t.Errorf("there are %q", files)
	}
}

func TestStoreNeedsAFolder(t *testing.T) {
	root := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(root, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(root).Put(Blob, []byte("x")); err == nil {
		t.Error("a file is no store, and nothing complained")
	}
}
