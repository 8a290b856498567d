package agentfile

import (
	"slices"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
)

func (r *reader) model(f field) *agent.Model {
	m := f.mapping()
	model := &agent.Model{
		Name: f.key(), ID: m.at("model").required("write the provider's name of the model"), Provider: m.at("provider").text(),
		Vision: m.at("vision").flag(false), MaxContext: m.at("max_context_tokens").count(),
	}
	for _, fallback := range m.at("fallbacks").list() {
		name := fallback.required("name another model")
		if name == "" {
			continue
		}
		if slices.Contains(model.Fallbacks, name) {
			fallback.fail("is there already: %s", item.Quote(name))
		}
		model.Fallbacks = append(model.Fallbacks, name)
		r.refer(fallback, name, true)
		r.fallbacks = append(r.fallbacks, link{model.Name, name, fallback})
	}
	pricing := m.at("pricing").mapping()
	model.Price = agent.Price{
		Input: pricing.at("input").micros(0), Cached: pricing.at("cached").micros(0), Output: pricing.at("output").micros(0),
	}
	pricing.end()
	m.end()
	return model
}
