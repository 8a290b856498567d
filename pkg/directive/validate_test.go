package directive

import (
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func issues(d *Document) []string {
	var list []string
	for _, issue := range d.Validate(item.Ref{Kind: item.Directive, ID: "demo/make_report"}, ".ai/directives/demo/make_report.md") {
		list = append(list, issue.Message)
	}
	return list
}

func TestValidateAccepts(t *testing.T) {
	if got := issues(mustParse(t, report)); got != nil {
		t.Errorf("got %q", got)
	}
}

// Everything that is wrong is reported at once.
func TestValidateReports(t *testing.T) {
	d := mustParse(t, "```xml\n"+`<directive name="Other" version="1.0" extend="x">
<permissions>*</permissions>
<metadata>
<description>d</description><category>elsewhere</category>
<inputs/>
<model teir="fast" parallel="maybe"/>
<permissions><acknowledge>why</acknowledge></permissions>
<context><befor>x</befor></context>
<hooks><hook evnt="x" position="middle" wrap="no"/></hooks>
</metadata>
<inputs>
<input name="a-b" type="strng" required="yes"/>
<input name="n" type="integer" default="many"/>
<imput/>
</inputs>
<outputs><output name="o" type="text"/></outputs>
</directive>
`+"```\n")
	got := issues(d)
	for _, want := range []string{
		"Field 'name' value 'Other' must match filename 'make_report'",
		"Field 'name' must be snake_case, got 'Other'",
		"Field 'version' must be semver format (X.Y.Z), got '1.0'",
		"Field 'category' value 'elsewhere' must match path category 'demo'",
		"Missing required field: author",
		`<directive> has no attribute "extend": did you mean "extends"?`,
		"<permissions> belongs in <metadata>: here it has no effect",
		"<inputs> belongs directly in <directive>: here it has no effect",
		`<model> has no attribute "teir": did you mean "tier"?`,
		`parallel of <model> must be true or false, not "maybe"`,
		"<acknowledge> has no effect: name the risk, as in <acknowledge risk=\"elevated\">reason</acknowledge>",
		`<befor> has no effect in <context>: did you mean "before"?`,
		`<hook> has no attribute "evnt": did you mean "event"?`,
		`<hook> has no event, as in <hook event="thread_started">`,
		`position of <hook> must be before or after, not "middle"`,
		`wrap of <hook> must be true or false, not "no"`,
		`the name of an <input> is made of letters, digits and _, not "a-b"`,
		`<input name="a-b"> has the type "strng": did you mean "string"?`,
		`required of <input> must be true or false, not "yes"`,
		`default of the input 'n' must be an integer, not "many"`,
		`<imput> has no effect in <inputs>: did you mean "input"?`,
		`<output name="o"> has the type "text" (valid: string, integer, number, boolean, array, object)`,
	} {
		i := slices.Index(got, want)
		if i < 0 {
			t.Errorf("missing: %s", want)
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	if len(got) > 0 {
		t.Errorf("unexpected:\n%s", strings.Join(got, "\n"))
	}
}

func TestValidateNamesPlaces(t *testing.T) {
	d := mustParse(t, withXML("<inputs>\n  <input name=\"a\" type=\"strng\"/></inputs>"))
	for _, issue := range d.Validate(item.Ref{ID: "d"}, "d.md") {
		if strings.Contains(issue.Message, "strng") && issue.Pos == (item.Position{Line: 4, Column: 3}) {
			return
		}
	}
	t.Error("the misspelt type has no place")
}
