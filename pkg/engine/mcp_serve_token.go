package engine

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/owner"
	"github.com/ryeos/rye/pkg/space"
)

// MCPTokenVariable is the environment variable that may hold the token of rye's MCP server. No tool gets it.
const MCPTokenVariable = "RYE_MCP_TOKEN"

// mcpTokenFile is where the token is kept otherwise, below the user's .ai.
const mcpTokenFile = "state/mcp-token"

// shortestToken is how long a token is at least: nobody guesses it.
const shortestToken = 16

// MCPToken is what clients must know to be served over HTTP: that of the environment, else that of a file of the user's,
// which is made when it is not there. file is "" if the token is the environment's.
func (e *Engine) MCPToken() (token, file string, err error) {
	if given, ok := lastValue(e.options.Env, MCPTokenVariable); ok {
		return given, "", checkToken(given, MCPTokenVariable)
	}
	file = filepath.Join(e.options.User, space.Dir, filepath.FromSlash(mcpTokenFile))
	token, err = readToken(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writeToken(file); err == nil {
			token, err = readToken(file) // another server may have been first
		}
	}
	return token, file, err
}

func readToken(file string) (string, error) {
	data, err := readPrivate(file)
	if err != nil {
		if told, ok := errors.AsType[*item.Error](err); ok {
			told.Hint("rm %s makes rye write a new one", item.ShellWord(file))
		}
		return "", err
	}
	token := strings.TrimSpace(string(data))
	return token, checkToken(token, file)
}

// readPrivate reads a file with a secret, if it is the user's alone.
func readPrivate(file string) ([]byte, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if exposed := owner.Exposed(info); !info.Mode().IsRegular() || exposed.Reason != "" || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		return nil, item.Errorf(item.TypePermission, "the token in %s can be read or changed by others", file)
	}
	return os.ReadFile(file)
}

func checkToken(token, from string) error {
	if len(token) < shortestToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return item.Usagef("the token in %s must have at least %d characters, without spaces", from, shortestToken)
	}
	return nil
}

// writeToken makes the file whole and at once, and leaves one that is there.
func writeToken(file string) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".mcp-token-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(rand.Text() + rand.Text() + "\n")
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Link(f.Name(), file)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
