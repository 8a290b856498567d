package directive

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// FuzzParse: any file is a directive or a syntax error with a place in it, and what is said of a directive can be used.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		report, withXML(declared), withMetadata("<permissions>*<acknowledge/></permissions>"), withXML(strings.Repeat("<a>", 250)),
		"```xml\n<!DOCTYPE a [<!ENTITY b '&b;&b;'>]><directive>&b;</directive>\n```\n", withXML("<![CDATA[</directive>]]><!-- ``` -->"),
		withXML("<inputs><input name='a' type=''/></inputs>"), "```xml\n<directive\n```\n```xml\n<directive/>\n```", "\ufeff```xml\r\n<directive/>\r\n```",
		withXML("<template><template></template><raw/><example a='>'></example>"), withMetadata("<hooks><hook><action/><inputs/></hook></hooks>"),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse("d.md", data)
		if err != nil {
			var syntax *item.SyntaxError
			if d != nil || !errors.As(err, &syntax) || syntax.Pos.Line < 1 || syntax.Pos.Column < 1 {
				t.Fatalf("got %v, %#v", d, err)
			}
			return
		}
		if !strings.Contains(string(data), d.Body) || !strings.Contains(string(data), d.Content) {
			t.Fatalf("the body %q or the content %q is not in the file", d.Body, d.Content)
		}
		for _, issue := range d.Validate(item.Ref{ID: "d"}, "d.md") {
			if issue.Message == "" || issue.Pos.Line < 1 {
				t.Fatalf("an issue without a place: %+v", issue)
			}
		}
		for _, capability := range d.Capabilities() {
			if !strings.HasPrefix(capability, "rye.") || strings.ContainsAny(capability, " \n/:") {
				t.Fatalf("the capability %q", capability)
			}
		}
		if _, err := json.Marshal(d); err != nil {
			t.Fatal(err)
		}
		if d.Returns() == "" != (len(d.Outputs) == 0) {
			t.Fatalf("%d outputs give %q", len(d.Outputs), d.Returns())
		}
		if in, err := d.Bind(nil); err == nil {
			d.Interpolate(in, nil)
		}
	})
}

// FuzzInterpolate: a value comes out as it went in, whatever it looks like. The template is cut at its placeholders by
// a marker that no template holds, so that the test knows nothing of how they are found.
func FuzzInterpolate(f *testing.F) {
	for _, text := range []string{
		"{input:v}", "a{input:v?}b${inputs.v}c{input:v:d}", "{env:V}{env:U:x}{input:v|}", "{input:u:{input:v}}", "{input:v", "${inputs.v{input:v}", "{{input:v}}",
	} {
		for _, value := range []string{"{input:v}", "${inputs.v}{env:V}", "}", "{input:", "\xff{", ""} {
			f.Add(text, value)
		}
	}
	const marker = "\x02\x03"
	f.Fuzz(func(t *testing.T, text, value string) {
		if strings.ContainsAny(text, marker) || len(text)*len(value) > maxFilled {
			return
		}
		fill := func(value string) string {
			d, err := (&Document{Body: text}).Interpolate(Inputs{"v": value}, func(name string) (string, bool) { return value, name == "V" })
			if err != nil {
				t.Fatal(err)
			}
			return d.Body
		}
		if got, want := fill(value), strings.ReplaceAll(fill(marker), marker, value); got != want {
			t.Fatalf("%q with %q gives %q, want %q", text, value, got, want)
		}
	})
}
