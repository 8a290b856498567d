package engine

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/directive"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
)

// DirectiveAgent is a directive as an agent with one side, and what its thread needs besides.
type DirectiveAgent struct {
	Agent  *agent.Agent
	Prompt *agent.Prompt
	Model  *agent.Model // without an ID, what the configuration has for the tier that is its name

	Message string          // what the thread begins with: the directive, and knowledge before and after it
	Returns json.RawMessage // schema of the tool directive_return, nil without outputs

	Capabilities graph.Capabilities // what its calls may do
}

// returnTool is how a directive with outputs hands them over and ends.
const returnTool = "directive_return"

// defaultTier is the model of a directive that names none (spec/rye-agent §1.3).
const defaultTier = "general"

// DirectiveAgent makes an agent of the directive that was prepared (spec/agent-runtime D4 row 8): without outputs, the first
// answer ends it; with outputs, only the tool that returns them does.
func (c *Call) DirectiveAgent(params map[string]any) (*DirectiveAgent, error) {
	if c.ref.Kind != item.Directive {
		return nil, item.Usagef("%s is no directive", c.ref)
	}
	d, err := c.document()
	if err != nil {
		return nil, err
	}
	inputs, err := d.Bind(params)
	if err != nil {
		return nil, err
	}
	if d, err = d.Interpolate(inputs, c.variable); err != nil {
		return nil, err
	}
	composed, err := directive.Compose(c.ref, d, c.engine.directive)
	if err != nil {
		return nil, err
	}
	out := &DirectiveAgent{Model: directiveModel(d.Model), Capabilities: composed.Capabilities()}
	out.Prompt = &agent.Prompt{
		Name: c.ref.String(), Description: d.Description, Model: out.Model.Name, IncludeChat: true, IncludePastTools: true,
		Parallel: d.Model != nil && d.Model.Parallel, Tools: c.engine.grantedTools(out.Capabilities),
	}
	out.Agent = &agent.Agent{
		Name: c.ref.String(), Kind: agent.Human, Description: d.Description, SideA: agent.Side{Prompt: out.Prompt.Name},
		Digest: c.chain.Tool().Proof.Digest(),
	}
	if out.Agent.Limits, err = directiveLimits(c.ref, d.Limits); err != nil {
		return nil, err
	}
	if out.Returns, err = returnsSchema(d.Outputs); err != nil {
		return nil, err
	}
	if out.Returns != nil {
		out.Agent.SideA.KeepGoing, out.Agent.SideA.SessionStop = true, agent.Binding{Tool: returnTool}
		out.Prompt.Tools = append(out.Prompt.Tools, agent.Tool{Name: returnTool})
	}
	return out, c.engine.addContext(out, d, composed.Context)
}

// addContext tells the model what the directive, and those that it extends, want it to know.
func (e *Engine) addContext(out *DirectiveAgent, d *directive.Document, context directive.Context) error {
	system, err := e.knowledge(context.System)
	if err != nil {
		return err
	}
	for _, text := range system {
		out.Prompt.Parts = append(out.Prompt.Parts, agent.PromptPart{Text: text + "\n\n"})
	}
	before, err := e.knowledge(context.Before)
	if err != nil {
		return err
	}
	after, err := e.knowledge(context.After)
	out.Message = strings.Join(slices.Concat(before, []string{d.Prompt()}, after), "\n\n")
	return err
}

// knowledge gives the texts of entries, each verified.
func (e *Engine) knowledge(ids []string) ([]string, error) {
	var texts []string
	for _, id := range ids {
		found, err := e.resolver.Alone(item.Ref{Kind: item.Knowledge, ID: id})
		if err != nil {
			return nil, err
		}
		entry := found.Tool()
		texts = append(texts, cmp.Or(strings.TrimSpace(entry.Meta.Document.Body), string(entry.Source())))
	}
	return texts, nil
}

func directiveModel(m *directive.Model) *agent.Model {
	if m == nil {
		return &agent.Model{Name: defaultTier}
	}
	return &agent.Model{
		Name: cmp.Or(m.ID, m.Tier, defaultTier), ID: m.ID, Provider: m.Provider,
		Fallbacks: slices.DeleteFunc([]string{m.FallbackID, m.Fallback}, func(name string) bool { return name == "" }),
	}
}

// directiveLimits refuses 0, which is no bound to an agent and nothing at all to whoever wrote it.
func directiveLimits(ref item.Ref, l *directive.Limits) (agent.Limits, error) {
	if l == nil {
		return agent.Limits{}, nil
	}
	var nothing string
	whole := func(name string, n *int64, most int64) int64 {
		switch {
		case n == nil:
			return 0
		case *n == 0:
			nothing = cmp.Or(nothing, name)
		}
		return min(*n, most)
	}
	const many = 1_000_000_000
	limits := agent.Limits{
		Steps: int(whole("turns", l.Turns, many)), Tokens: whole("tokens", l.Tokens, 1<<53),
		Duration: time.Duration(whole("duration_seconds", l.DurationSeconds, many)) * time.Second,
		Spawns:   int(whole("spawns", l.Spawns, many)), Depth: int(whole("depth", l.Depth, many)),
	}
	if l.Spend != nil {
		limits.Spend = int64(math.Round(min(*l.Spend, many) * 1e6))
		if limits.Spend == 0 {
			nothing = cmp.Or(nothing, "spend")
		}
	}
	if nothing != "" {
		return limits, item.Errorf(item.TypeLimit, "the limit %s of %s is 0: with it, nothing can be done", nothing, ref).
			Hint("leave %s out, or raise it: rye show %s", nothing, ref)
	}
	return limits, nil
}

// returnsSchema describes what directive_return takes, nil for a directive without outputs.
func returnsSchema(outputs []item.Parameter) (json.RawMessage, error) {
	if len(outputs) == 0 {
		return nil, nil
	}
	properties, required := item.NewObject(), []any{}
	for _, p := range outputs {
		property := item.NewObject()
		property.Set("type", p.Type)
		if p.Description != "" {
			property.Set("description", p.Description)
		}
		properties.Set(p.Name, property)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	schema := item.NewObject()
	schema.Set("type", "object")
	schema.Set("properties", properties)
	schema.Set("required", required)
	return json.Marshal(schema)
}
