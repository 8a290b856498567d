package chain

import (
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// ResolveConfig gives what the chain's config_resolve asks for: one map for a single entry, maps by path for a list, nil
// when no element asks or nothing was found (design §2 row 13).
func (r *Resolver) ResolveConfig(c *Chain) (*item.Object, []space.Place, error) {
	owner := c.First(func(m *item.Metadata) bool { return len(m.ConfigResolve) > 0 })
	if owner == nil {
		return nil, nil, nil
	}
	if !owner.Meta.ConfigByPath {
		return r.Config(owner.Meta.ConfigResolve[0])
	}
	all := item.NewObject()
	var used []space.Place
	for _, spec := range owner.Meta.ConfigResolve {
		value, layers, err := r.Config(spec)
		if err != nil {
			return nil, nil, err
		}
		if value.Len() > 0 {
			all.Set(spec.Path, value)
		}
		used = append(used, layers...)
	}
	return all, used, nil
}

// Config reads one configuration file through its tiers: deep_merge lays user over system and project over user;
// first_match takes the first of project, user, system. It also says which layers were used.
func (r *Resolver) Config(spec item.ConfigSpec) (*item.Object, []space.Place, error) {
	tiers, err := r.Spaces.ConfigTiers(spec.Path)
	if err != nil || len(tiers) == 0 {
		return nil, nil, err
	}
	if spec.Mode == "first_match" {
		tiers = tiers[len(tiers)-1:]
	}
	merged := item.NewObject()
	for _, place := range tiers {
		layer, err := r.configLayer(place)
		if err != nil {
			return nil, nil, err
		}
		deepMerge(merged, layer)
	}
	return merged, tiers, nil
}

// configLayer verifies and parses one file. Configuration steers what a signed tool does, so it is signed as well.
func (r *Resolver) configLayer(p space.Place) (*item.Object, error) {
	data, detached, err := p.Read()
	if err != nil {
		return nil, err
	}
	if _, err := r.Verifier.Verify(SourceOf(p, item.Config, data, detached)); err != nil {
		return nil, err
	}
	doc, err := item.ReadDocument(p.Display(), data)
	if err != nil {
		return nil, err
	}
	return doc.Values, nil
}

// deepMerge lays over on base: maps merge, anything else is replaced. A key named extends is reserved and left out
// (spec/rye-core §5.3).
func deepMerge(base, over *item.Object) {
	for key, value := range over.All() {
		if key == "extends" {
			continue
		}
		below, belowIsMap := mapAt(base, key)
		layer, isMap := value.(*item.Object)
		switch {
		case isMap && belowIsMap:
			deepMerge(below, layer)
		case isMap:
			fresh := item.NewObject()
			deepMerge(fresh, layer)
			base.Set(key, fresh)
		default:
			base.Set(key, value)
		}
	}
}

func mapAt(o *item.Object, key string) (*item.Object, bool) {
	v, _ := o.Get(key)
	m, ok := v.(*item.Object)
	return m, ok
}
