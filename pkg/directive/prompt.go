package directive

import (
	"fmt"
	"strings"
)

// xmlEscaper leaves line ends and quotes in text as they are: a model reads it, not a parser.
var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// Returns tells a model what to give back: the <outputs> as a <returns> block, "" if there are none
// (seed 002, spec/rye-agent §1.10).
func (d *Document) Returns() string {
	if len(d.Outputs) == 0 {
		return ""
	}
	lines := []string{"<returns>"}
	for _, p := range d.Outputs {
		name := xmlEscaper.Replace(p.Name)
		if p.Description == "" {
			lines = append(lines, fmt.Sprintf(`  <output name="%s"/>`, name))
		} else {
			lines = append(lines, fmt.Sprintf(`  <output name="%s">%s</output>`, name, xmlEscaper.Replace(p.Description)))
		}
	}
	return strings.Join(append(lines, "</returns>"), "\n")
}

// Prompt is the first message of a thread that runs the directive, which was interpolated before.
func (d *Document) Prompt() string {
	lines := []string{fmt.Sprintf(`<directive name="%s">`, xmlEscaper.Replace(d.Name))}
	if d.Description != "" {
		lines = append(lines, "<description>"+xmlEscaper.Replace(d.Description)+"</description>")
	}
	if d.permissions != "" {
		lines = append(lines, d.permissions)
	}
	lines = append(lines, d.Body)
	if returns := d.Returns(); returns != "" {
		lines = append(lines, returns, "When you have finished, call the tool directive_return with these outputs.")
	}
	return strings.Join(append(lines, "</directive>"), "\n")
}
