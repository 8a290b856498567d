package runtime

import (
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/template"
)

// steeringKeys are parameters that steer the engine, unless the tool's own schema declares them (design §2 row 14).
var steeringKeys = []string{"timeout", "cwd", "env"}

// serverKeys are config keys that a caller's parameter of the same name cannot override.
var serverKeys = map[string]bool{"server": true, "server_config_path": true, "tool_name": true, "function": true}

// splitParams separates what the tool receives from what steers the engine. The caller's map is left alone.
func splitParams(in Input) (params, steering map[string]any) {
	params, steering = make(map[string]any, len(in.Params)+1), map[string]any{}
	meta := in.Chain.Tool().Meta
	for name, v := range in.Params {
		if slices.Contains(steeringKeys, name) && !meta.Declares(name) {
			steering[name] = v
		} else {
			params[name] = v
		}
	}
	if in.Resolved.Len() > 0 {
		params["resolved_config"] = in.Resolved
	}
	return params, steering
}

// payload applies fixed_params and encodes what the tool reads on its standard input (spec/rye-core §5.5).
func (b *builder) payload(p *Plan) error {
	out := b.params
	if fixed := b.config.Object("fixed_params"); fixed.Len() > 0 {
		out, p.FixedParams = b.withFixed(fixed)
	}
	data, err := item.AppendJSON(nil, out)
	if err != nil {
		return item.Usagef("%w", err)
	}
	b.payloads = string(data)
	return nil
}

// withFixed lays the fixed parameters over the caller's, or puts the caller's below params_key. The fixed ones win
// (design §2 row 25); the losers are reported.
func (b *builder) withFixed(fixed *item.Object) (out map[string]any, lost []string) {
	out = map[string]any{}
	key := b.config.String("params_key")
	if key != "" {
		out[key] = b.params
	} else {
		for name, v := range b.params {
			out[name] = v
		}
	}
	for name, v := range fixed.All() {
		if _, collides := out[name]; collides {
			lost = append(lost, name)
		}
		out[name] = b.values(0).Tree(v)
	}
	slices.Sort(lost)
	return out, lost
}

// maxParamVariable bounds a parameter that is also given as a variable, in bytes: the system refuses long ones, and
// standard input has them all.
const maxParamVariable = 32 << 10

// paramVariables sets one variable per parameter, for languages that cannot read JSON; `config.params_env` is the
// prefix of their names.
func (b *builder) paramVariables() {
	prefix := b.config.String("params_env")
	if prefix == "" {
		return
	}
	for name, v := range b.params {
		text := template.String(v)
		if isVariableName(name) && len(text) <= maxParamVariable && strings.IndexByte(text, 0) < 0 {
			b.env.set(prefix+strings.ToUpper(name), text, OriginParameters)
		}
	}
}
