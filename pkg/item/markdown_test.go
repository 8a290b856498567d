package item

import (
	"maps"
	"strings"
	"testing"
)

func TestReadMarkdown(t *testing.T) {
	const fence = "```yaml\nname: x\ntitle: é\n```\n"
	tests := []struct{ name, source, want, body string }{
		{"knowledge", "<!-- rye:signed -->\n\n" + fence + "\n# Body\n\n```yaml\nno: 1\n```\n", `{"name":"x","title":"é"}`, "# Body\n\n```yaml\nno: 1\n```"},
		{"in a longer fence", "````markdown\n```yaml\nno: 1\n```\n````\n" + fence + "b", `{"name":"x","title":"é"}`, "b"},
		{"in another fence", "~~~\n```yaml\nno: 1\n```\n~~~\n" + fence, `{"name":"x","title":"é"}`, ""},
		{"other languages", "```yamlish\nno: 1\n```\n```sh\n~~~yaml\n```\n" + fence, `{"name":"x","title":"é"}`, ""},
		{"longer closing mark", "~~~yaml title\nname: x\n~~~~~  \nb", `{"name":"x"}`, "b"},
		{"shorter and other marks stay inside", "````yaml\nname: |\n  ```\n````\nb", `{"name":"` + "```" + `\n"}`, "b"},
		{"indented fences are text", "  ```yaml\n  no: 1\n  ```\n" + fence, `{"name":"x","title":"é"}`, ""},
		{"inline code", "```yaml```\n" + fence, `{"name":"x","title":"é"}`, ""},
		{"line ends of Windows", "\ufeff```yaml\r\nname: x\r\n```\r\nb\r\n", `{"name":"x"}`, "b"},
		{"no fence", "# Title\n\n---\n", `{}`, "# Title\n\n---"},
		{"an open fence of another language", "```sh\n```yaml\nno: 1\n", `{}`, "```sh\n```yaml\nno: 1"},
		{"rule before the fence", "---\n" + fence, `{"name":"x","title":"é"}`, ""},
		{"empty fence", "```yaml\n```\nb", `{}`, "b"},
		{"directive", "# D\n\n```xml\n<!-- <raw> -->\n<directive name=\"d\" version=\"1.0.0\" extends='base' other=\"x\">\n" +
			"<metadata><description>in metadata</description><category>a/b</category><author> me &amp; you </author>" +
			"<model tier=\"fast\"/><permissions><execute>*</execute></permissions></metadata>\n<description>at the <b>root</b></description>\n" +
			"<template id=\"1\"><b> & ]]> ```</template><raw/><example>\n<description>no</description></example>\n</directive>\n```\nBody",
			`{"name":"d","version":"1.0.0","extends":"base","description":"at the root","category":"a/b","author":"me \u0026 you","model":"","permissions":"*"}`, "Body"},
		{"first fence wins", "```xml\n<directive name='d'/>\n```\n" + fence, `{"name":"d"}`, strings.TrimSpace(fence)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := ReadMarkdown([]byte(tt.source))
			if err != nil {
				t.Fatal(err)
			}
			if got := marshal(t, doc.Values); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if doc.Body != tt.body {
				t.Errorf("the body is %q, want %q", doc.Body, tt.body)
			}
		})
	}
}

func TestReadMarkdownPositions(t *testing.T) {
	for source, want := range map[string]map[string]Position{
		"# é\n\n```yaml\nname: x\n\ntitle:\n  - y\n```\n": {"name": {4, 7}, "title": {7, 3}},
		"# é\n```xml\n <directive name='d'>\n<metadata>\n  <raw>é</raw><author>é</author></metadata></directive>\n```\n": {
			"name": {3, 2}, "author": {5, 15}, "raw": {5, 3}},
	} {
		doc, err := ReadMarkdown([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(doc.Positions, want) {
			t.Errorf("%q: got %v, want %v", source, doc.Positions, want)
		}
	}
}

func TestReadMarkdownErrors(t *testing.T) {
	xml := func(text string) string { return "# D\n\n```xml\n" + text + "\n```\n" }
	tests := []struct {
		source  string
		pos     Position
		message string
	}{
		{"---\nname: x\n---\n", Position{1, 1}, frontMatterMessage},
		{"<!-- signed -->\n\n---\nname: x\n", Position{3, 1}, frontMatterMessage},
		{"# a\n```yaml\nname: x\n", Position{2, 1}, "yaml block that starts here is never closed: add a line of ```"},
		{"~~~~xml\n```\n~~~\n", Position{1, 1}, "add a line of ~~~~"},
		{"# é\n```yaml\na: 1\nb: [1\n```\n", Position{4, 1}, "did not find expected"},
		{"# é\n```yaml\na: 1\na: 2\n```\n", Position{4, 1}, "duplicate key"},
		{"# é\n```yaml\n- a\n```\n", Position{3, 1}, "top level must be a mapping"},
		{xml("<directive>\n<a></b>\n</directive>"), Position{5, 8}, "Invalid XML: element <a> closed by </b>"},
		{xml("<directive>\n<a>"), Position{6, 1}, "Invalid XML: unexpected EOF"},
		{xml("<directive>&x;</directive>"), Position{4, 15}, "Invalid XML: invalid character entity"},
		{xml("<tool/>"), Position{4, 1}, "Invalid XML: the root element is <tool>"},
		{xml("<directive/>\n<directive/>"), Position{5, 1}, "Invalid XML: a second root element"},
		{xml("<directive/>\nx"), Position{4, 13}, "Invalid XML: text outside"},
		{xml("<directive name='a' name='b'/>"), Position{4, 1}, "Invalid XML: <directive> has the attribute name twice"},
		{xml("<directive><template><b></directive>"), Position{4, 37}, "Invalid XML: element <b> closed by </directive>"},
		{xml(""), Position{5, 1}, "Invalid XML: there is no <directive> element"},
		{"a\xff", Position{1, 2}, "not UTF-8"},
	}
	for _, tt := range tests {
		doc, err := ReadMarkdown([]byte(tt.source))
		checkSyntaxError(t, tt.source, doc, err, tt.pos, tt.message)
	}
}

// What stands in a longer fence is never metadata, whatever it is.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"```yaml\na: 1\n```\nb", "````md\n```yaml\na: 1\n```\n````\n", "```xml\n<directive name='a'><raw><</raw></directive>\n```\n",
		"~~~\n```xml\n~~~\n", "```xml\n<directive><template></directive>\n```", "---\na", "<!-- x -->\n---", "```xml\n<!-- <raw> --><raw>\n```",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := ReadMarkdown(data)
		if isReadable(t, data, doc, err) {
			checkDepth(t, doc.Values, maxDepth+1)
			if !strings.Contains(string(data), doc.Body) {
				t.Fatalf("the body %q is not in the file", doc.Body)
			}
		}
		longest := strings.Repeat("`", strings.Count(string(data), "`")+3)
		wrapped := longest + "\n" + string(data) + "\n" + longest + "\n"
		doc, err = ReadMarkdown([]byte(wrapped))
		if err == nil && (doc.Values.Len() != 0 || doc.Body != strings.TrimSpace(wrapped)) {
			t.Fatalf("a fence in a fence was read: %s", marshal(t, doc.Values))
		}
	})
}
