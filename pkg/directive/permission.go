package directive

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
)

// Permission is one capability that a directive asks for, as in `rye.execute.tool.rye.file-system.*`.
type Permission struct {
	Tag     string `json:"tag"` // cap
	Content string `json:"content"`
}

// Risk is one that the author has taken upon himself.
type Risk struct {
	Risk   string `json:"risk"`
	Reason string `json:"reason"`
}

// Capabilities lists what the permissions grant.
func (d *Document) Capabilities() []string { return capabilities(d.Permissions) }

func capabilities(permissions []Permission) []string {
	names := make([]string, len(permissions))
	for i, p := range permissions {
		names[i] = p.Content
	}
	return names
}

// permissions reads the grammar of spec/rye-agent §1.4. The list is never nil: an empty <permissions> grants nothing,
// and nothing is inherited in its place.
func (r *reader) permissions(e *item.Element) ([]Permission, []Risk) {
	granted, risks := []Permission{}, []Risk(nil)
	isRisk := func(child *item.Element) bool { return child.Name == "acknowledge" }
	switch {
	case e.OwnText == "":
	case e.OwnText != "*":
		r.fail(e, "text inside <permissions>: only * can stand there, which grants everything")
	case slices.ContainsFunc(e.Children, func(child *item.Element) bool { return !isRisk(child) }):
		r.fail(e, "* grants everything: besides it there can only be <acknowledge>")
	default:
		granted = append(granted, Permission{"cap", "rye.*"})
	}
	for _, child := range e.Children {
		switch child.Name {
		case "execute", "fetch", "sign":
			granted = append(granted, r.grants(child)...)
		case "acknowledge":
			risks = append(risks, r.risk(child)...)
		default:
			r.fail(child, "Unknown tag <%s> inside <permissions>. Valid tags: acknowledge, execute, fetch, sign", child.Name)
		}
	}
	return granted, risks
}

// grants reads <execute>, <fetch> or <sign>: either text, or one element for each kind of item.
func (r *reader) grants(e *item.Element) []Permission {
	if len(e.Children) == 0 {
		return []Permission{r.capability(e, "rye."+e.Name+".")}
	}
	if e.OwnText != "" {
		r.fail(e, "<%s> holds text beside elements: put the text into an element, as in <tool>…</tool>", e.Name)
	}
	var granted []Permission
	for _, child := range e.Children {
		if !slices.Contains(item.Kinds(), item.Kind(child.Name)) || len(child.Children) > 0 {
			r.fail(child, "Unknown tag <%s> inside <%s>. Valid tags: %s, each with one id or pattern",
				child.Name, e.Name, strings.Join(item.KindNames(), ", "))
		}
		granted = append(granted, r.capability(child, "rye."+e.Name+"."+child.Name+"."))
	}
	return granted
}

var capabilityPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_.*?!\[\]/@+~-]+$`) })

func (r *reader) capability(e *item.Element, prefix string) Permission {
	if !capabilityPattern().MatchString(e.Text) {
		r.fail(e, "<%s> must hold an id or a pattern, as in rye/file-system/*, not %s", e.Name, item.Quote(e.Text))
	}
	return Permission{"cap", prefix + strings.ReplaceAll(e.Text, "/", ".")}
}

func (r *reader) risk(e *item.Element) []Risk {
	r.attributes(e, "risk")
	risk := e.Attributes.String("risk")
	if risk == "" {
		r.report(e, `<acknowledge> has no effect: name the risk, as in <acknowledge risk="elevated">reason</acknowledge>`)
		return nil
	}
	return []Risk{{risk, e.Text}}
}
