package integrity

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func TestGenerateAndLoadKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config", "signing")
	made, err := GenerateKey(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadKey(dir)
	if err != nil || !loaded.private.Equal(made.private) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, publicKeyFile))
	if err != nil || Fingerprint(text) != made.Public().Fingerprint() {
		t.Error(err, Fingerprint(text))
	}
	for name, mode := range map[string]fs.FileMode{".": 0o700, privateKeyFile: 0o600, publicKeyFile: 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, err, info.Mode())
		}
	}
	checkNames(t, dir, privateKeyFile, publicKeyFile)
}

// checkNames finds temporary files that were left behind.
func checkNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(want) {
		t.Fatal(err, entries)
	}
	for i, entry := range entries {
		if entry.Name() != want[i] {
			t.Errorf("%s is left", entry.Name())
		}
	}
}

func TestGenerateKeyKeepsTheOldOne(t *testing.T) {
	for _, name := range []string{privateKeyFile, publicKeyFile} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		key, err := GenerateKey(dir, false)
		if key != nil || item.TypeOf(err) != item.TypeUsage || !strings.Contains(strings.Join(item.HintsOf(err), ""), "rye keys generate --force") {
			t.Errorf("%s: %v, %v", name, key, err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != "precious" {
			t.Errorf("%s was overwritten: %q %v", name, text, err)
		}
		checkNames(t, dir, name)
		if _, err := GenerateKey(dir, true); err != nil {
			t.Error(err)
		}
		if _, err := LoadKey(dir); err != nil {
			t.Error(err)
		}
	}
}

func TestImportKey(t *testing.T) {
	dir := t.TempDir()
	if key, err := ImportKey(dir, []byte("no key"), false); key != nil || item.TypeOf(err) != item.TypeUsage {
		t.Errorf("%v, %v", key, err)
	}
	checkNames(t, dir)
	if _, err := ImportKey(dir, pkcs8v2(t, testKey(1), testKey(1).public.key), false); err != nil {
		t.Fatal(err)
	}
	if key, err := ImportKey(dir, testKey(2).privatePEM(), false); key != nil || err == nil {
		t.Errorf("%v, %v", key, err)
	}
	if loaded, err := LoadKey(dir); err != nil || !loaded.private.Equal(testKey(1).private) {
		t.Error(err)
	}
}

// TestGenerateKeyRace: of many that generate at once, one wins, and what is on disk is the winner's key.
func TestGenerateKeyRace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "signing")
	var winner atomic.Pointer[Key]
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			key, err := GenerateKey(dir, false)
			if err == nil && winner.Swap(key) != nil {
				t.Error("two winners")
			}
			if err != nil && item.TypeOf(err) != item.TypeUsage {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	loaded, err := LoadKey(dir)
	if err != nil || winner.Load() == nil || !loaded.private.Equal(winner.Load().private) {
		t.Fatal(err)
	}
	checkNames(t, dir, privateKeyFile, publicKeyFile)
}

func TestLoadKeyRefuses(t *testing.T) {
	write := func(name string, data []byte, mode fs.FileMode) func(string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			return errors.Join(os.RemoveAll(path), os.WriteFile(path, data, 0o600), os.Chmod(path, mode))
		}
	}
	private := testKey(1).privatePEM()
	for name, test := range map[string]struct {
		prepare       func(dir string) error
		kind          item.ErrorType
		message, hint string
	}{
		"missing":           {func(string) error { return nil }, item.TypeNotFound, "there is no signing key", "rye keys generate"},
		"readable by group": {write(privateKeyFile, private, 0o640), item.TypePermission, "private_key.pem has mode 0640", "chmod 600 "},
		"readable by world": {write(privateKeyFile, private, 0o604), item.TypePermission, "private_key.pem has mode 0604", "chmod 600 "},
		"half a key":        {write(privateKeyFile, private[:40], 0o600), item.TypeUsage, "private_key.pem: ", "rye keys generate --force"},
		"empty":             {write(privateKeyFile, nil, 0o600), item.TypeUsage, "no PEM block", "rye keys generate --force"},
		"endless":           {write(privateKeyFile, bytes.Repeat(private, 1000), 0o600), item.TypeUsage, "at most", "rye keys generate --force"},
		"folder": {func(dir string) error { return os.Mkdir(filepath.Join(dir, privateKeyFile), 0o700) },
			item.TypeInternal, "not a regular file", "ls -l "},
		"public of another": {func(dir string) error {
			return errors.Join(write(privateKeyFile, private, 0o600)(dir), write(publicKeyFile, testKey(2).public.text, 0o644)(dir))
		}, item.TypeUsage, "public_key.pem does not belong", "rm "},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && test.kind == item.TypePermission {
				t.Skip("Windows files have no permission bits")
			}
			dir := t.TempDir()
			if err := test.prepare(dir); err != nil {
				t.Fatal(err)
			}
			key, err := LoadKey(dir)
			if key != nil || item.TypeOf(err) != test.kind || !strings.Contains(err.Error(), test.message) {
				t.Fatalf("%v, %s: %v", key, item.TypeOf(err), err)
			}
			if !strings.Contains(strings.Join(item.HintsOf(err), "\n"), test.hint) {
				t.Errorf("hints: %q", item.HintsOf(err))
			}
			if strings.Contains(err.Error(), string(private[30:60])) {
				t.Error("the error shows the key")
			}
		})
	}
}

func TestLoadKeyWithoutPublicFile(t *testing.T) {
	dir := t.TempDir()
	made, err := GenerateKey(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, publicKeyFile)); err != nil {
		t.Fatal(err)
	}
	if loaded, err := LoadKey(dir); err != nil || loaded.Public().Fingerprint() != made.Public().Fingerprint() {
		t.Error(err)
	}
}
