package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// graphCache keeps the results of nodes that declare cache_result. It lives in the user's cache, not in the project: what a
// project brings along is not believed.
type graphCache struct{ engine *Engine }

// cachedResult is one file of the cache.
type cachedResult struct {
	Node     string         `json:"node_name"`
	CachedAt time.Time      `json:"cached_at"`
	Result   map[string]any `json:"result"`
}

// nodesDir is where the results are, below the cache folder.
const nodesDir = "nodes"

// Snapshot digests what a result depends on besides the parameters: every element that executes the item, and the
// configuration of the engine.
func (c *graphCache) Snapshot(ref item.Ref) (string, error) {
	sum := sha256.New()
	resolve := c.engine.resolver.Resolve
	if ref.Kind == item.Directive {
		resolve = c.engine.resolver.Alone
	}
	found, err := resolve(ref)
	if err != nil {
		return "", err
	}
	for _, e := range found.Elements {
		digest := ""
		if !e.Primitive() {
			digest = e.Proof.Digest()
		}
		fmt.Fprintf(sum, "%q %s\n", e.ID, digest)
	}
	config, _, err := c.engine.resolver.Config(item.ConfigSpec{Path: executionConfig, Mode: "deep_merge"})
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(config)
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// file is where a result is kept: by project, as the same parameters may mean other files elsewhere.
func (c *graphCache) file(key string) string {
	sum := sha256.Sum256([]byte(c.engine.options.Project + "\x00" + key))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.engine.options.Cache, nodesDir, name[:2], name+".json")
}

func (c *graphCache) Get(key string) (map[string]any, bool) {
	file, err := os.Open(c.file(key))
	if err != nil {
		return nil, false
	}
	defer file.Close()
	var kept cachedResult
	dec := json.NewDecoder(file)
	dec.UseNumber()
	err = dec.Decode(&kept)
	return kept.Result, err == nil && kept.Result != nil
}

func (c *graphCache) Put(key, node string, result map[string]any) error {
	data, err := json.Marshal(cachedResult{node, c.engine.options.Now().UTC(), result})
	if err != nil {
		return err
	}
	path := c.file(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".node-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	_, err = part.Write(data)
	if closeErr := part.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}
