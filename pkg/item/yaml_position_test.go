package item

import "testing"

func TestYAMLTreePosition(t *testing.T) {
	tree := NewYAMLTree([]byte("a: 1\nb:\n  c: [x, {d: 2}]\n  1: &shared\n    e: 3\nf: *shared\n"))
	for _, c := range []struct {
		path []string
		want Position
	}{
		{nil, Position{Line: 1, Column: 1}},
		{[]string{"a"}, Position{Line: 1, Column: 4}},
		{[]string{"b", "c", "1", "d"}, Position{Line: 3, Column: 14}},
		{[]string{"b", "1", "e"}, Position{Line: 5, Column: 8}},
		{[]string{"f", "e"}, Position{Line: 5, Column: 8}},
		{[]string{"b", "c", "7"}, Position{Line: 3, Column: 6}}, // the list around it
		{[]string{"nothing"}, Position{Line: 1, Column: 1}},
	} {
		if got := tree.Position(c.path...); got != c.want {
			t.Errorf("%v is at %v, want %v", c.path, got, c.want)
		}
	}
	for _, c := range []struct {
		path []string
		want Position
	}{
		{nil, Position{Line: 1, Column: 1}},
		{[]string{"b"}, Position{Line: 2, Column: 1}},
		{[]string{"b", "c", "1", "d"}, Position{Line: 3, Column: 11}},
		{[]string{"f", "e"}, Position{Line: 5, Column: 5}},
		{[]string{"b", "c", "1"}, Position{Line: 3, Column: 10}}, // an index has no key
		{[]string{"b", "nothing"}, Position{Line: 3, Column: 3}},
		{[]string{"nothing", "x"}, Position{Line: 1, Column: 1}},
	} {
		if got := tree.Key(c.path...); got != c.want {
			t.Errorf("the key of %v is at %v, want %v", c.path, got, c.want)
		}
	}
	if got := NewYAMLTree([]byte("a: [")).Position("a"); got != (Position{Line: 1, Column: 1}) {
		t.Errorf("a broken file gives %v", got)
	}
}
