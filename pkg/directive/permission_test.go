package directive

import (
	"reflect"
	"strings"
	"testing"
)

func TestPermissions(t *testing.T) {
	tests := []struct {
		xml   string
		want  []string
		risks []Risk
	}{
		{`<permissions/>`, []string{}, nil},
		{`<permissions> * </permissions>`, []string{"rye.*"}, nil},
		{`<permissions>*<acknowledge risk="unrestricted"> why </acknowledge></permissions>`, []string{"rye.*"}, []Risk{{"unrestricted", "why"}}},
		{`<permissions><execute>*</execute><fetch>*</fetch><sign>*</sign></permissions>`, []string{"rye.execute.*", "rye.fetch.*", "rye.sign.*"}, nil},
		{`<permissions><execute><tool>rye/bash</tool><tool>rye.file-system.*</tool></execute></permissions>`,
			[]string{"rye.execute.tool.rye.bash", "rye.execute.tool.rye.file-system.*"}, nil},
		{`<permissions><execute><directive>a/[bc]?</directive></execute><fetch><knowledge>x</knowledge></fetch></permissions>`,
			[]string{"rye.execute.directive.a.[bc]?", "rye.fetch.knowledge.x"}, nil},
		{`<permissions><fetch>tool.x</fetch></permissions>`, []string{"rye.fetch.tool.x"}, nil},
		{`<permissions><acknowledge>why</acknowledge></permissions>`, []string{}, nil},
	}
	for _, tt := range tests {
		d := mustParse(t, withMetadata(tt.xml))
		if got := d.Capabilities(); !reflect.DeepEqual(got, tt.want) || d.Permissions == nil {
			t.Errorf("%s: got %q, want %q", tt.xml, got, tt.want)
		}
		if !reflect.DeepEqual(d.Risks, tt.risks) {
			t.Errorf("%s: got %v, want %v", tt.xml, d.Risks, tt.risks)
		}
	}
	if d := mustParse(t, withMetadata("")); d.Permissions != nil {
		t.Errorf("permissions out of nothing: %v", d.Permissions)
	}
}

// Nothing that could be taken for a permission is passed over.
func TestPermissionsRefused(t *testing.T) {
	for xml, message := range map[string]string{
		`<search>*</search>`:                                "Unknown tag <search> inside <permissions>. Valid tags: acknowledge, execute, fetch, sign",
		`all`:                                               "text inside <permissions>",
		`* <execute>*</execute>`:                            "* grants everything: besides it",
		`<execute/>`:                                        `<execute> must hold an id or a pattern`,
		`<execute><tool> </tool></execute>`:                 `<tool> must hold an id or a pattern`,
		`<execute><tool>tool:x</tool></execute>`:            `not "tool:x"`,
		`<execute><tool>a b</tool></execute>`:               `not "a b"`,
		`<execute>* <tool>x</tool></execute>`:               "<execute> holds text beside elements",
		`<execute><tools>x</tools></execute>`:               "Unknown tag <tools> inside <execute>",
		`<execute><tool><x>y</x></tool></execute>`:          "Unknown tag <tool> inside <execute>",
		`<x:execute xmlns:x="y">*</x:execute>`:              "Unknown tag <y:execute>",
		`<execute><tool>{input:x}</tool></execute>`:         `not "{input:x}"`,
		"<execute><tool>a\u202eb</tool></execute>":          "must hold an id or a pattern",
		`<execute><tool>a</tool><tool>*,b</tool></execute>`: `not "*,b"`,
	} {
		_, err := Parse("d.md", []byte(withMetadata("<permissions>"+xml+"</permissions>")))
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: got %v, want %s", xml, err, message)
		}
	}
}
