package integrity

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ryeos/rye/pkg/item"
)

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
