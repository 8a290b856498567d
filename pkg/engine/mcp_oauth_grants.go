package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ryeos/rye/pkg/filelock"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
	"github.com/ryeos/rye/pkg/redact"
	"github.com/ryeos/rye/pkg/space"
)

// mcpGrantsDir is where the user's sign-ins are kept, below the user's .ai: a file for each address of a server.
const mcpGrantsDir = "state/mcp-oauth"

// mcpGrants keeps sign-ins in files that are the user's alone.
type mcpGrants struct {
	dir string

	mu   sync.Mutex
	seen []string // secrets that no message may show
}

func (e *Engine) mcpGrants() *mcpGrants {
	return &mcpGrants{dir: filepath.Join(e.options.User, space.Dir, filepath.FromSlash(mcpGrantsDir))}
}

// file is where the sign-in to a server is. Its name does not tell the address, which may be nobody's business.
func (g *mcpGrants) file(server string) string {
	sum := sha256.Sum256([]byte("rye-mcp-grant-v1\x00" + server))
	return filepath.Join(g.dir, hex.EncodeToString(sum[:16]))
}

// Load gives the grant for a server, nil if there is none.
func (g *mcpGrants) Load(server string) (*mcp.Grant, error) {
	file := g.file(server) + ".json"
	data, err := readPrivate(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if told, ok := errors.AsType[*item.Error](err); ok {
		return nil, told.Hint("rm %s, and sign in again", item.ShellWord(file))
	}
	if err != nil {
		return nil, item.Errorf(item.TypePermission, "the sign-in to this server cannot be read, as is so in a sandbox: %w", err)
	}
	grant := &mcp.Grant{}
	if err := json.Unmarshal(data, grant); err != nil || grant.Server != server {
		return nil, item.Errorf(item.TypeIntegrity, "%s does not hold a sign-in to this server", file).
			Hint("rm %s, and sign in again", item.ShellWord(file))
	}
	g.remember(grant)
	return grant, nil
}

// Update changes the grant for a server under its lock.
func (g *mcpGrants) Update(ctx context.Context, server string, change func(*mcp.Grant) (*mcp.Grant, error)) error {
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return err
	}
	unlock, err := lockFile(ctx, g.file(server)+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	before, err := g.Load(server)
	if err != nil {
		return err
	}
	after, err := change(before)
	switch {
	case err != nil:
		return err
	case after == nil:
		err = os.Remove(g.file(server) + ".json")
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	g.remember(after)
	return g.write(server, after)
}

// write replaces the file, whole or not at all.
func (g *mcpGrants) write(server string, grant *mcp.Grant) error {
	data, err := json.MarshalIndent(grant, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(g.dir, ".grant-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), g.file(server)+".json")
}

// remove gives the grant that was there. A file that cannot be read is removed, too.
func (g *mcpGrants) remove(ctx context.Context, server string) (was *mcp.Grant, _ error) {
	file := g.file(server) + ".json"
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if _, err := g.Load(server); item.TypeOf(err) == item.TypeIntegrity {
		return nil, os.Remove(file)
	}
	err := g.Update(ctx, server, func(before *mcp.Grant) (*mcp.Grant, error) {
		was = before
		return nil, nil
	})
	return was, err
}

func (g *mcpGrants) remember(grant *mcp.Grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, secret := range []string{grant.AccessToken, grant.RefreshToken, grant.ClientSecret} {
		if secret != "" && !slices.Contains(g.seen, secret) {
			g.seen = append(g.seen, secret)
		}
	}
}

func (g *mcpGrants) addTo(secrets *redact.Redactor) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, secret := range g.seen {
		secrets.Add("token", secret)
	}
}

// lockFile takes the lock of a file, which stays: who waits for it has opened it.
func lockFile(ctx context.Context, name string) (unlock func() error, _ error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Wait(ctx, f); err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil
}
