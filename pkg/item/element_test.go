package item

import (
	"reflect"
	"testing"
)

func TestReadElements(t *testing.T) {
	root, err := readElements([]byte("<directive a='1' B=\"&lt;\">\n one <b>two<c/></b><![CDATA[ <3> ]]>"+
		"<!-- no --><raw x='y'><d> & </raw>\n</directive>"), "directive")
	if err != nil {
		t.Fatal(err)
	}
	if want := "one two <3>"; root.Text != want || root.OwnText != "one  <3>" {
		t.Errorf("got the text %q and %q, want %q", root.Text, root.OwnText, want)
	}
	if got := marshal(t, root.Attributes); got != `{"a":"1","B":"\u003c"}` {
		t.Errorf("got the attributes %s", got)
	}
	var names, sources, contents []string
	for _, child := range root.Children {
		names, sources, contents = append(names, child.Name), append(sources, child.Source), append(contents, child.Content())
	}
	if want := []string{"b", "raw"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got the children %q, want %q", names, want)
	}
	if want := []string{"<b>two<c/></b>", "<raw x='y'><d> & </raw>"}; !reflect.DeepEqual(sources, want) {
		t.Errorf("got the sources %q, want %q", sources, want)
	}
	if want := []string{"two<c/>", "<d> & "}; !reflect.DeepEqual(contents, want) {
		t.Errorf("got the contents %q, want %q", contents, want)
	}
	if c := root.Children[0].Children[0]; c.Pos != (Position{Line: 2, Column: 12}) || c.Text != "" || c.Content() != "" {
		t.Errorf("got %+v", c)
	}
	if root.Children[1].Text != "" {
		t.Errorf("opaque content is text: %q", root.Children[1].Text)
	}
}
