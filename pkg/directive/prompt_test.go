package directive

import "testing"

func TestPrompt(t *testing.T) {
	d, err := mustParse(t, "```xml\n"+`<directive name="d"><description>a &lt; b</description>
<metadata><permissions><fetch>*</fetch> <!-- x --></permissions></metadata>
<outputs><output name="path">where "it" is,
&lt;here&gt;</output><output name="n" type="integer"/></outputs></directive>
`+"```\nDo {input:x}.\n").Interpolate(Inputs{"x": "<this>"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `<directive name="d">
<description>a &lt; b</description>
<permissions><fetch>*</fetch> <!-- x --></permissions>
Do <this>.
<returns>
  <output name="path">where &quot;it&quot; is,
&lt;here&gt;</output>
  <output name="n"/>
</returns>
When you have finished, call the tool directive_return with these outputs.
</directive>`
	if got := d.Prompt(); got != want {
		t.Errorf("got %s", got)
	}
	plain := mustParse(t, "```xml\n<directive name='p'/>\n```\nBody")
	if got := plain.Prompt(); plain.Returns() != "" || got != "<directive name=\"p\">\nBody\n</directive>" {
		t.Errorf("got %s", got)
	}
}
