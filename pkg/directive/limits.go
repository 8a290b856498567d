package directive

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Model is which model a thread should use; an empty field leaves the choice open (spec/rye-agent §1.3).
type Model struct {
	Tier       string `json:"tier,omitempty"`
	ID         string `json:"id,omitempty"`
	Provider   string `json:"provider,omitempty"`
	Fallback   string `json:"fallback,omitempty"`
	FallbackID string `json:"fallback_id,omitempty"`
	Parallel   bool   `json:"parallel,omitempty"`
}

func (r *reader) model(e *item.Element) *Model {
	r.attributes(e, "tier", "id", "provider", "fallback", "fallback_id", "parallel")
	a := e.Attributes
	return &Model{
		Tier: a.String("tier"), ID: a.String("id"), Provider: a.String("provider"), Fallback: a.String("fallback"),
		FallbackID: a.String("fallback_id"), Parallel: r.flag(e, "parallel", false),
	}
}

// Limits bound a thread; nil leaves a limit to the configuration (spec/rye-agent §2.3).
type Limits struct {
	Turns           *int64   `json:"turns,omitempty"`
	Tokens          *int64   `json:"tokens,omitempty"`
	Spend           *float64 `json:"spend,omitempty"`
	SpendCurrency   string   `json:"spend_currency,omitempty"`
	Spawns          *int64   `json:"spawns,omitempty"`
	Depth           *int64   `json:"depth,omitempty"`
	DurationSeconds *int64   `json:"duration_seconds,omitempty"`
}

var limitNames = []string{"turns", "tokens", "spend", "spend_currency", "spawns", "depth", "duration_seconds"}

// limits reads the attributes; max_turns and max_tokens are older names. A limit that is misspelt, or written as an
// element, must not go unnoticed: the thread would run without it.
func (r *reader) limits(e *item.Element) *Limits {
	for name := range e.Attributes.All() {
		if !slices.Contains(limitNames, name) && name != "max_turns" && name != "max_tokens" {
			r.fail(e, "Unknown limit '%s' in directive <limits>. Valid limits: %s", name, strings.Join(limitNames, ", "))
		}
	}
	if e.Text != "" || len(e.Children) > 0 {
		r.fail(e, `<limits> takes attributes, as in <limits turns="6" spend="0.10"/>`)
	}
	return &Limits{
		Turns: r.renamed(e, "turns", "max_turns"), Tokens: r.renamed(e, "tokens", "max_tokens"), Spend: r.amount(e, "spend"),
		SpendCurrency: e.Attributes.String("spend_currency"), Spawns: r.whole(e, "spawns"), Depth: r.whole(e, "depth"),
		DurationSeconds: r.whole(e, "duration_seconds"),
	}
}

func (r *reader) renamed(e *item.Element, name, before string) *int64 {
	n, old := r.whole(e, name), r.whole(e, before)
	if n != nil && old != nil {
		r.fail(e, "%s and %s are the same limit", name, before)
	}
	if n == nil {
		return old
	}
	return n
}

func (r *reader) amount(e *item.Element, name string) *float64 {
	value, declared := e.Attributes.Get(name)
	if !declared {
		return nil
	}
	text, _ := value.(string)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		r.fail(e, "%s of <%s> must be a number, not %s", name, e.Name, item.Quote(text))
	}
	return &f
}
