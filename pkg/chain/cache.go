package chain

import (
	"crypto/sha256"
	"maps"
	"path"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// Bounds of the caches: a long-lived process that sees many tools must not grow without end.
const maxCached = 4096

// chainCache keeps resolved chains for processes that live long (seed 001). A hit is proven, not assumed: every
// element is looked up again, which notices a new file that shadows it, its bytes are hashed again, and its signer
// must still be trusted.
type chainCache struct {
	mu     sync.Mutex
	chains map[item.Ref]cachedChain
}

type cachedChain struct {
	chain   *Chain
	digests [][sha256.Size]byte // of each element's file and detached signature; zero for the primitive
}

func (cc *chainCache) get(r *Resolver, ref item.Ref) *Chain {
	cc.mu.Lock()
	cached, ok := cc.chains[ref]
	cc.mu.Unlock()
	if !ok {
		return nil
	}
	spaces := r.Spaces
	for i, e := range cached.chain.Elements {
		if e.Primitive() {
			continue
		}
		found, err := spaces.Find(item.Ref{Kind: item.Tool, ID: e.ID}, false)
		if err != nil || found.Place != e.Place {
			return cc.drop(ref)
		}
		data, detached, err := found.Read()
		if err != nil || digest(data, detached) != cached.digests[i] {
			return cc.drop(ref)
		}
		if _, err := r.Verifier.Trust.Lookup(e.Proof.Signer()); err != nil {
			return cc.drop(ref)
		}
		spaces = r.Spaces.From(e.Place.Space.Label)
	}
	return cached.chain
}

func (cc *chainCache) drop(ref item.Ref) *Chain {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	delete(cc.chains, ref)
	return nil
}

func (cc *chainCache) put(ref item.Ref, c *Chain) {
	digests := make([][sha256.Size]byte, len(c.Elements))
	for i, e := range c.Elements {
		if !e.Primitive() {
			digests[i] = digest(e.Proof.Bytes(), e.detached)
		}
	}
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.chains == nil || len(cc.chains) >= maxCached {
		cc.chains = map[item.Ref]cachedChain{}
	}
	cc.chains[ref] = cachedChain{c, digests}
}

// metadataCache keeps parsed metadata by the file it came from, valid while the bytes are the same.
type metadataCache struct {
	mu    sync.Mutex
	files map[space.Place]cachedMetadata
}

type cachedMetadata struct {
	digest [sha256.Size]byte
	meta   *item.Metadata
}

func (mc *metadataCache) parse(kind item.Kind, p space.Place, data []byte) (*item.Metadata, error) {
	sum := sha256.Sum256(data)
	mc.mu.Lock()
	cached, ok := mc.files[p]
	mc.mu.Unlock()
	if ok && cached.digest == sum {
		return cached.meta, nil
	}
	meta, err := item.ParseMetadata(kind, p.Display(), data)
	if err != nil {
		return nil, err
	}
	mc.mu.Lock()
	defer mc.mu.Unlock()
	if mc.files == nil || len(mc.files) >= maxCached {
		mc.files = map[space.Place]cachedMetadata{}
	}
	mc.files[p] = cachedMetadata{sum, meta}
	return meta, nil
}

// Stats counts what the caches hold (spec/rye-core §3.2).
type Stats struct{ Chains, Metadata int }

// Stats reports the caches' sizes.
func (r *Resolver) Stats() Stats {
	r.chains.mu.Lock()
	defer r.chains.mu.Unlock()
	r.metadata.mu.Lock()
	defer r.metadata.mu.Unlock()
	return Stats{len(r.chains.chains), len(r.metadata.files)}
}

// Invalidate forgets one item's chain, or everything when ref is zero.
func (r *Resolver) Invalidate(ref item.Ref) {
	r.chains.mu.Lock()
	defer r.chains.mu.Unlock()
	if ref == (item.Ref{}) {
		r.chains.chains = nil
		r.metadata.mu.Lock()
		r.metadata.files = nil
		r.metadata.mu.Unlock()
		return
	}
	maps.DeleteFunc(r.chains.chains, func(k item.Ref, _ cachedChain) bool { return k == ref })
}

func digest(data, detached []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(data)
	h.Write([]byte{0})
	h.Write(detached)
	return [sha256.Size]byte(h.Sum(nil))
}

func stem(p string) string { return strings.TrimSuffix(p, path.Ext(p)) }
