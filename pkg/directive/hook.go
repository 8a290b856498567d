package directive

import (
	"encoding/json"

	"github.com/ryeos/rye/pkg/item"
)

// Hook is what to do when something happens in a thread (spec/rye-agent §1.5).
type Hook struct {
	ID        string       `json:"id,omitempty"`
	Event     string       `json:"event"`
	Layer     *int64       `json:"layer,omitempty"` // nil: that of directives
	Position  string       `json:"position,omitempty"`
	Wrap      bool         `json:"wrap"`
	Condition *Condition   `json:"condition,omitempty"`
	Actions   []Action     `json:"actions,omitempty"`
	Inputs    *item.Object `json:"inputs,omitempty"` // name → text
	Other     *item.Object `json:"other,omitempty"`  // text of the other elements
}

// Condition compares a value of the event with another one.
type Condition struct {
	Path  string `json:"path"`
	Op    string `json:"op"`
	Value any    `json:"value"` // bool, json.Number or string; nil when there is none
}

// Action is a call of another item, in the XML of a directive or of one of its hooks.
type Action struct {
	Primary    string       // execute, fetch or sign
	Attributes *item.Object // name → string: item_id, kind, …
	Params     *item.Object // name → string
}

// MarshalJSON writes the attributes beside the primary.
func (a Action) MarshalJSON() ([]byte, error) {
	out := item.NewObject()
	out.Set("primary", a.Primary)
	out.Merge(a.Attributes)
	out.Set("params", a.Params)
	return json.Marshal(out)
}

func (r *reader) hooks(e *item.Element) []Hook {
	r.children(e, "hook")
	var hooks []Hook
	for hook := range e.All("hook") {
		hooks = append(hooks, r.hook(hook))
	}
	return hooks
}

func (r *reader) hook(e *item.Element) Hook {
	r.attributes(e, "id", "event", "layer", "position", "wrap")
	r.once(e, "condition", "inputs")
	h := Hook{
		ID: e.Attributes.String("id"), Event: e.Attributes.String("event"), Layer: r.whole(e, "layer"),
		Position: e.Attributes.String("position"), Wrap: r.flag(e, "wrap", true),
	}
	if h.Event == "" {
		r.report(e, `<hook> has no event, as in <hook event="thread_started">`)
	}
	if h.Position != "" && h.Position != "before" && h.Position != "after" {
		r.report(e, "position of <hook> must be before or after, not %s", item.Quote(h.Position))
	}
	other := item.NewObject()
	for _, child := range e.Children {
		switch child.Name {
		case "condition":
			h.Condition = r.condition(child)
		case "action":
			h.Actions = append(h.Actions, r.hookActions(child)...)
		case "inputs":
			h.Inputs = r.named(child, "input")
		default:
			if child.Text != "" {
				other.Set(child.Name, child.Text)
			}
		}
	}
	if other.Len() > 0 {
		h.Other = other
	}
	return h
}

func (r *reader) condition(e *item.Element) *Condition {
	r.attributes(e, "path", "op", "value")
	c := &Condition{Path: e.Attributes.String("path"), Op: e.Attributes.String("op")}
	if value, ok := e.Attributes.Get("value"); ok {
		c.Value = scalar(value.(string))
	}
	return c
}

// scalar is the value that a text stands for where no type is declared.
func scalar(text string) any {
	if text == "true" || text == "false" {
		return text == "true"
	}
	if n, ok := item.Number(text); ok {
		return n
	}
	return text
}

// hookActions reads <action>: it is one action itself, or it holds several.
func (r *reader) hookActions(e *item.Element) []Action {
	var actions []Action
	for _, child := range e.Children {
		switch child.Name {
		case "execute", "fetch", "sign":
			actions = append(actions, r.action(child, child.Name))
		}
	}
	if actions != nil {
		return actions
	}
	primary := e.Attributes.String("primary")
	if primary == "" {
		primary = "execute"
	}
	return []Action{r.action(e, primary)}
}

func (r *reader) action(e *item.Element, primary string) Action {
	attributes := item.NewObject()
	attributes.Merge(e.Attributes)
	attributes.Delete("primary")
	attributes.Delete("params")
	return Action{Primary: primary, Attributes: attributes, Params: r.named(e, "param")}
}

// named reads children such as <param name="k" value="v"/> or <param name="k">v</param>.
func (r *reader) named(e *item.Element, tag string) *item.Object {
	values := item.NewObject()
	for child := range e.All(tag) {
		name := child.Attributes.String("name")
		if _, again := values.Get(name); again || name == "" {
			r.fail(child, "every <%s> needs a name of its own, not %s", tag, item.Quote(name))
		}
		value, ok := child.Attributes.Get("value")
		if !ok {
			value = child.Text
		}
		values.Set(name, value)
	}
	return values
}
