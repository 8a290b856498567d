package engine

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ryeos/rye/pkg/cas"
	"github.com/ryeos/rye/pkg/integrity"
)

// The files of a lillux key folder beside those of integrity.GenerateKey: the X25519 key that envelopes are sealed for. They
// hold 32 bytes in base64url, without padding and without a line end.
const (
	boxKeyFile = "box_key.pem"
	boxPubFile = "box_pub.pem"
)

// maxBoxFile bounds what is read of them, in bytes; they have 43.
const maxBoxFile = 1 << 10

// LilluxKeyPair are the public halves of a new pair of keys.
type LilluxKeyPair struct {
	BoxPub      string `json:"box_pub"`
	Fingerprint string `json:"fingerprint"`
	KeyDir      string `json:"key_dir"`
}

// LilluxGenerate makes a signing key and a box key in a folder. If one of their files is there already nothing is made:
// a signing key without its box key, or the other way round, would fit nothing that others know of it.
func LilluxGenerate(dir string) (*LilluxKeyPair, error) {
	for _, name := range []string{"private_key.pem", "public_key.pem", boxKeyFile, boxPubFile} {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("create %s: File exists (os error 17)", path)
		}
	}
	box, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	key, err := integrity.GenerateKey(dir, false)
	if err != nil {
		return nil, err
	}
	pub := base64.RawURLEncoding.EncodeToString(box.PublicKey().Bytes())
	err = errors.Join(
		createFile(filepath.Join(dir, boxKeyFile), base64.RawURLEncoding.EncodeToString(box.Bytes()), 0o600),
		createFile(filepath.Join(dir, boxPubFile), pub, 0o644),
	)
	return &LilluxKeyPair{BoxPub: pub, Fingerprint: key.Public().Fingerprint(), KeyDir: dir}, err
}

func createFile(path, text string, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

// LilluxFingerprint names the public signing key in a file.
func LilluxFingerprint(file string) (string, error) {
	key, err := readPublicKey(file)
	if err != nil {
		return "", err
	}
	return key.Fingerprint(), nil
}

// LilluxBoxFingerprint names the public box key in a file.
func LilluxBoxFingerprint(file string) (string, error) {
	key, err := readBox(file)
	if err != nil {
		return "", err
	}
	return boxFingerprint(key), nil
}

func boxFingerprint(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8])
}

// LilluxSign signs a hash with the key of a folder. The message is the hash as text; anything else that a caller might
// want to have signed is refused.
func LilluxSign(dir, hash string) (string, error) {
	if !isHash(hash) {
		return "", cas.ErrHash
	}
	if _, err := integrity.LoadKey(dir); err != nil { // which looks at who else could have written or read it
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(dir, "private_key.pem"))
	if err != nil {
		return "", err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return "", errors.New("the private key is not PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", err
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return "", errors.New("the private key is not an Ed25519 key")
	}
	return base64.RawURLEncoding.EncodeToString(ed25519.Sign(private, []byte(hash))), nil
}

func isHash(hash string) bool {
	sum, err := hex.DecodeString(hash)
	return err == nil && len(sum) == sha256.Size
}

// ErrKeyText is wrapped by errors about a file that can be read and holds no public key.
var ErrKeyText = errors.New("the file holds no public key")

// LilluxVerify reports whether the key in a file made the signature of a hash. The error is about the key.
func LilluxVerify(file, hash, signature string) (bool, error) {
	key, err := readPublicKey(file)
	if err != nil {
		return false, err
	}
	block, _ := pem.Decode(key.PEM())
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return false, err
	}
	sig, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(signature, "="))
	return err == nil && isHash(hash) && ed25519.Verify(parsed.(ed25519.PublicKey), []byte(hash), sig), nil
}

func readPublicKey(file string) (*integrity.PublicKey, error) {
	text, err := readKeyDocument(file)
	if err != nil {
		return nil, err
	}
	key, err := integrity.ParsePublicKey(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyText, err)
	}
	return key, nil
}

// readBox reads one half of a box key.
func readBox(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBoxFile))
	if err != nil {
		return nil, err
	}
	key, err := decode32(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s holds no box key: %w", file, err)
	}
	return key, nil
}

// readBoxKey reads the private half, which nobody else may be able to read.
func readBoxKey(dir string) (*ecdh.PrivateKey, error) {
	file := filepath.Join(dir, boxKeyFile)
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("others can read the box key: %s has mode %04o", file, info.Mode().Perm())
	}
	key, err := readBox(file)
	if err != nil {
		return nil, err
	}
	return ecdh.X25519().NewPrivateKey(key)
}

// decode32 reads 32 bytes of base64url.
func decode32(text string) ([]byte, error) {
	key, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil, errors.New("it is not base64url")
	}
	if len(key) != 32 {
		return nil, fmt.Errorf("it has %d bytes instead of 32", len(key))
	}
	return key, nil
}
