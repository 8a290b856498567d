package integrity

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/owner"
)

// The files of a signing key's directory, `<user>/.ai/config/keys/signing` (design §6).
const (
	privateKeyFile = "private_key.pem"
	publicKeyFile  = "public_key.pem"
)

// LoadKey reads the signing key of a directory. It refuses a private key that others on the machine can read, and a
// public key file of another key; a missing public key file is fine. It never makes a key.
func LoadKey(dir string) (*Key, error) {
	path := filepath.Join(dir, privateKeyFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, item.Errorf(item.TypeNotFound, "there is no signing key in %s", shown(dir)).Hint("rye keys generate")
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, item.Errorf(item.TypePermission, "others can read the signing key: %s has mode %04o",
			shown(path), info.Mode().Perm()).Hint("chmod 600 %s", item.ShellWord(path))
	}
	if err := onlyOurs(path, dir); err != nil {
		return nil, err
	}
	text, err := readKeyFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	key, err := ParsePrivateKey(text)
	if err != nil {
		return nil, item.Errorf(item.TypeOf(err), "%s: %w", shown(path), err).Hint("rye keys generate --force")
	}
	if err := key.checkPublicFile(filepath.Join(dir, publicKeyFile)); err != nil {
		return nil, err
	}
	return key, nil
}

// onlyOurs refuses files and folders in which other users of the machine could have put another key.
func onlyOurs(paths ...string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return unreadable(path, err)
		}
		if e := owner.Exposed(info); e.Reason != "" {
			return item.Errorf(item.TypePermission, "%s %s", shown(path), e.Reason).Hint("%s %s", e.Command, item.ShellWord(path))
		}
	}
	return nil
}

func (k *Key) checkPublicFile(path string) error {
	text, err := readKeyFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(path, err)
	}
	if !bytes.Equal(text, k.public.text) {
		return item.Usagef("%s does not belong to the private key beside it", shown(path)).Hint("rm %s", item.ShellWord(path))
	}
	return nil
}

func unreadable(path string, err error) error {
	return (&CheckError{File: path, Err: err}).asItemError()
}

// readKeyFile reads a regular file, so that a pipe in its place cannot block, up to maxPEM bytes.
func readKeyFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxPEM+1))
}

// GenerateKey makes a signing key in dir (mode 0700): private_key.pem (PKCS#8, 0600) and public_key.pem (0644). An
// existing key is an error unless force is set. A crash leaves the old key, the new one, or none, never half of one;
// of two processes that generate at once without force, one gets the error.
func GenerateKey(dir string, force bool) (*Key, error) {
	key, err := NewKey()
	if err != nil {
		return nil, err
	}
	if err := key.store(dir, force); err != nil {
		return nil, err
	}
	return key, nil
}

// ImportKey makes the PKCS#8 PEM text of a private key the signing key in dir, under the rules of GenerateKey.
func ImportKey(dir string, pemText []byte, force bool) (*Key, error) {
	key, err := ParsePrivateKey(pemText)
	if err != nil {
		return nil, err
	}
	if err := key.store(dir, force); err != nil {
		return nil, err
	}
	return key, nil
}

// store writes both halves into dir; see GenerateKey.
func (k *Key) store(dir string, force bool) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	var err error
	private, public := filepath.Join(dir, privateKeyFile), filepath.Join(dir, publicKeyFile)
	if force {
		// A public key file of the old key beside the new private key would be refused: it goes first.
		err = os.Remove(public)
	} else {
		err = absent(private, public)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeFile(private, k.privatePEM(), 0o600, force); err != nil {
		return err
	}
	if err := writeFile(public, k.public.text, 0o644, force); err != nil {
		return err
	}
	return syncDir(dir)
}

func absent(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return keyExists(path)
		}
	}
	return nil
}

func keyExists(path string) error {
	return item.Usagef("there is a signing key already: %s", shown(path)).
		Hint("To sign with another key from now on (what this one signed stays trusted): rye keys generate --force")
}

// writeFile makes a file appear with all its content on disk: at once, and exclusively unless replace is set.
func writeFile(path string, data []byte, mode fs.FileMode, replace bool) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	if replace {
		return os.Rename(temp.Name(), path)
	}
	err = os.Link(temp.Name(), path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return keyExists(path)
	case err != nil: // a file system without hard links
		if err := absent(path); err != nil {
			return err
		}
		return os.Rename(temp.Name(), path)
	}
	return nil
}

// syncDir makes the new names survive a power loss. Windows cannot open directories for that.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(handle.Sync(), handle.Close())
}
