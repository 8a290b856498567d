package directive

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// report is a directive with one of everything.
const report = `<!-- rye:signed:v2 -->
# Title

Summary.

` + "````markdown\n```xml\n<directive name=\"no\"/>\n```\n````\n\n```xml" + `
<directive name="make_report" version="1.0.0" extends="rye/agent/core/base">
  <metadata>
    <description>d</description><category>demo</category><author> me </author>
    <model_class tier="fast" provider="anthropic" parallel="false"/>
    <limits max_turns="6" spend="0.10" spend_currency="EUR"/>
    <permissions><execute><tool>rye.file-system.*</tool><directive>a/b</directive></execute><fetch>*</fetch>
      <acknowledge risk="elevated">it must</acknowledge></permissions>
    <context><system>knowledge:demo/who</system><before>demo/style</before><suppress>rye/agent/core/x</suppress></context>
    <hooks>
      <hook id="h" event="error" layer="3" position="after" wrap="false">
        <condition path="a.b" op="gte" value="0.8"/>
        <action primary="fetch" item_id="knowledge:demo/x"><param name="k">v</param></action>
        <action><execute item_id="tool:a"/><sign item_id="b"><param name="p" value="q"/></sign></action>
        <note>why</note>
      </hook>
    </hooks>
    <cost>low</cost>
  </metadata>
  <inputs><input name="topic" type="string" required="TRUE"> the topic </input><input name="n" type="integer" default="3"/></inputs>
  <outputs><output name="path" required="true">file</output><output name="size" type="integer"/></outputs>
  <process><step name="s"><execute item_id="tool:rye/bash" kind="tool"><param name="command" value="ls {input:topic}"/></execute></step></process>
  <template id="t"><b> & {input:topic}</template>
</directive>
` + "```\n\nWrite about {input:topic} in {input:n} parts.\n\n````md\n```xml\n<directive/>\n```\n````\n"

func mustParse(t testing.TB, source string) *Document {
	t.Helper()
	d, err := Parse("d.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// withXML is a directive file around the children of its root.
func withXML(children string) string {
	return "```xml\n<directive name=\"d\" version=\"1.0.0\">\n" + children + "\n</directive>\n```\nBody\n"
}

func withMetadata(children string) string { return withXML("<metadata>" + children + "</metadata>") }

func TestParseReadsEverything(t *testing.T) {
	golden, err := os.ReadFile("testdata/make_report.json")
	if err != nil {
		t.Fatal(err)
	}
	d := mustParse(t, report)
	d.Content = d.Content[:40] // the rest is the file
	got, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(golden) {
		t.Errorf("got %s", got)
	}
}

func TestParseErrorsHavePlaces(t *testing.T) {
	tests := []struct {
		source, message string
		line, column    int
	}{
		{"# Nothing\n", "No XML code block found", 1, 1},
		{"```xml\n<directive>\n", "never closed", 1, 1},
		{"a\x00b", "NUL", 1, 2},
		{"```xml\n<!DOCTYPE d [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\n<directive>&a;</directive>\n```\n", "<!DOCTYPE>", 2, 1},
		{withXML("<description>&lol;</description>"), "invalid character entity", 3, 19},
		{withXML("<metadata/>\n <metadata/>"), "a second <metadata> in <directive>", 4, 2},
		{withMetadata("<permissions/><permissions>*</permissions>"), "a second <permissions> in <metadata>", 3, 25},
		{withMetadata("<model/><model_class/>"), "a second model", 3, 19},
		{withMetadata(`<limits trns="1"/>`), "Unknown limit 'trns' in directive <limits>. Valid limits: turns, tokens,", 3, 11},
		{withMetadata(`<limits turns="-1"/>`), `turns of <limits> must be a whole number, not "-1"`, 3, 11},
		{withMetadata(`<limits turns="1" max_turns="2"/>`), "turns and max_turns are the same limit", 3, 11},
		{withMetadata(`<limits spend="NaN"/>`), "spend of <limits> must be a number", 3, 11},
		{withMetadata(`<limits><turns>1</turns></limits>`), "<limits> takes attributes", 3, 11},
		{withMetadata(`<hooks><hook event="e" layer="x"/></hooks>`), "layer of <hook> must be a whole number", 3, 18},
		{withMetadata(`<context><before>../x</before></context>`), "<before> must hold the id of a knowledge entry", 3, 20},
		{withMetadata(`<context><before>tool:x</before></context>`), "<before> must hold the id of a knowledge entry", 3, 20},
		{withXML(`<inputs><input type="string"/></inputs>`), "every <input> needs a name of its own", 3, 9},
		{withXML(`<inputs><input name="a"/><input name="a"/></inputs>`), "every <input> needs a name of its own", 3, 26},
		{withXML(`<outputs><output name="a"/><output name="a"/></outputs>`), "every <output> needs a name of its own", 3, 28},
		{withXML(`<execute><param>x</param></execute>`), "every <param> needs a name of its own", 3, 10},
		{"```xml\n<directive extends='tool:x'/>\n```\n", "can only extend a directive", 2, 1},
		{"```xml\n<directive extends=''/>\n```\n", "extends: the item id is empty", 2, 1},
		{"```xml\n<x:directive xmlns:x='directive'/>\n```\n", "the root element is <directive:directive>", 2, 1},
		{withXML(strings.Repeat("<a>", 300)), "nested deeper than 200 levels", 3, 598},
		{withXML("<a " + manyAttributes(51) + "/>"), "more than 50 attributes", 3, 1},
		{withXML(strings.Repeat("<a/>", 10_001)), "more than 10000 elements", 3, 39997},
		{withXML(strings.Repeat("x", 5<<20)), "the XML is longer than", 3, 0},
	}
	for _, tt := range tests {
		d, err := Parse("dir/d.md", []byte(tt.source))
		var syntax *item.SyntaxError
		if d != nil || !errors.As(err, &syntax) {
			t.Errorf("%.60q: got %v, want a syntax error", tt.source, err)
			continue
		}
		if syntax.Path != "dir/d.md" || !strings.Contains(syntax.Message, tt.message) {
			t.Errorf("%.60q: got %s: %s, want %s", tt.source, syntax.Path, syntax.Message, tt.message)
		}
		if tt.column > 0 && syntax.Pos != (item.Position{Line: tt.line, Column: tt.column}) {
			t.Errorf("%.60q: got %v, want %d:%d", tt.source, syntax.Pos, tt.line, tt.column)
		}
	}
}

func manyAttributes(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(" a" + strings.Repeat("x", i) + `="1"`)
	}
	return out.String()
}

// What does not look like a directive at first sight, and is one.
func TestParseTolerates(t *testing.T) {
	for name, source := range map[string]string{
		"Windows":            "\ufeff" + strings.ReplaceAll(withXML("<description>x</description>"), "\n", "\r\n"),
		"longer fence":       "`````xml\n<directive name='d'><description>x</description><raw>\n```\n</raw></directive>\n`````\nBody",
		"tilde fence":        "~~~xml\n<directive name='d'><description>x</description></directive>\n~~~\nBody",
		"comments and CDATA": withXML("<!-- <description>no</description> --><description><![CDATA[x]]></description>"),
		"entities":           withXML("<description>&#120;</description>"),
		"a second block":     withXML("<description>x</description>"),
	} {
		d := mustParse(t, source)
		if d.Name != "d" || d.Description != "x" || d.Body != "Body" {
			t.Errorf("%s: got %q, %q, %q", name, d.Name, d.Description, d.Body)
		}
	}
	later := withXML("") + "```xml\n<directive name='later'><permissions>*</permissions></directive>\n```\n"
	if d := mustParse(t, later); d.Name != "d" || d.Permissions != nil || !strings.Contains(d.Body, "later") {
		t.Errorf("a later block was read: %+v", d)
	}
}
