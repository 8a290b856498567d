package engine

import (
	"crypto/ecdh"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An envelope, and the key of its recipient, made with the crypto module of Node.
const (
	sealedByNode = `{"version":1,"recipient":"fp:bfc71becaabe2d9e","enc":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08",` +
		`"ciphertext":"4N7yVKBFwiMq8nmuo2LJFpL9l35465N6mR5e4JoyWjZ0nwHWV_DoVEBW9-aOnrDux_0ZjaTs",` +
		`"aad_fields":{"kind":"execution-secrets/v1","recipient":"fp:bfc71becaabe2d9e"}}`
	boxKeyText = "dwdtCnMYpX08FsFyUbJmRd9PL5LrwNKgwKCgoKCgoKA"
)

func testBoxKey(t testing.TB) *ecdh.PrivateKey {
	t.Helper()
	bytes, err := base64.RawURLEncoding.DecodeString(boxKeyText)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdh.X25519().NewPrivateKey(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func boxFolder(t *testing.T, mode os.FileMode) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, boxKeyFile)
	if err := os.WriteFile(file, []byte(boxKeyText), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	return dir
}

func TestBoxKeyOfOthers(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("Windows has no modes")
	}
	_, err := LilluxOpen(boxFolder(t, 0o640), strings.NewReader(sealedByNode))
	if err == nil || !strings.HasPrefix(err.Error(), "others can read the box key: ") {
		t.Errorf("got %v", err)
	}
}
