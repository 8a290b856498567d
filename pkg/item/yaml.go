package item

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// readYAML reads one document whose top level is a mapping. It walks the nodes itself: decoding into a map would lose
// the order of the keys, turn dates into times and keep no positions.
func readYAML(src []byte) (*Document, error) {
	src, err := treeText(src)
	if err != nil {
		return nil, err
	}
	root, err := parseYAML(src)
	if err != nil {
		return nil, err
	}
	doc := newDocument()
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return doc, nil
	}
	r := &yamlReader{src: src}
	if root.Kind != yaml.MappingNode {
		return nil, r.fail(root, "the top level must be a mapping of names to values, as in 'version: 1.0.0'")
	}
	top, err := r.mapping(root, 0, doc.Positions)
	if err != nil {
		return nil, err
	}
	doc.Values = top
	return doc, nil
}

// parseYAML is the root node of the only document, nil for a file without one.
func parseYAML(src []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var document, second yaml.Node
	switch err := dec.Decode(&document); {
	case err == io.EOF:
		return nil, nil
	case err != nil:
		return nil, yamlError(src, err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		r := &yamlReader{src: src}
		return nil, r.fail(&second, "a second document starts here: keep one document in the file and remove the '---'")
	case err != io.EOF:
		return nil, yamlError(src, err)
	}
	return document.Content[0], nil
}

type yamlReader struct {
	src   []byte
	nodes int // values built so far, those that aliases repeat included
}

func (r *yamlReader) fail(n *yaml.Node, format string, args ...any) error {
	err := syntaxErrorAt(r.src, 0, format, args...)
	err.Pos = Position{Line: max(1, n.Line), Column: max(1, n.Column)}
	err.Snippet = snippet(r.src, err.Pos)
	return err
}

func (r *yamlReader) value(n *yaml.Node, depth int) (any, error) {
	if r.nodes++; r.nodes > maxNodes {
		return nil, r.fail(n, "the file holds more than %d values once its aliases are expanded", maxNodes)
	}
	if depth > maxDepth {
		return nil, r.fail(n, "values are nested deeper than %d levels", maxDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.MappingNode:
		return r.mapping(n, depth, nil)
	case yaml.SequenceNode:
		return r.sequence(n, depth)
	}
	return r.scalar(n)
}

func (r *yamlReader) sequence(n *yaml.Node, depth int) (any, error) {
	if n.ShortTag() != "!!seq" {
		return nil, r.unknownTag(n)
	}
	list := make([]any, 0, len(n.Content))
	for _, child := range n.Content {
		v, err := r.value(child, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// scalar gives the value its YAML 1.2 core type. Dates stay the text that was written.
func (r *yamlReader) scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!str", "!!timestamp", "!!merge":
		return n.Value, nil
	case "!!binary":
		return nil, r.fail(n, "binary values are not supported: write the text itself, or a path")
	case "!!null", "!!bool", "!!int", "!!float":
	default:
		return nil, r.unknownTag(n)
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, r.fail(n, "%s is not a %s", Quote(n.Value), n.ShortTag())
	}
	switch v := v.(type) {
	case int:
		return int64(v), nil
	case uint64:
		return float64(v), nil
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, r.fail(n, "%s has no JSON form: write a finite number, or quote it", Quote(n.Value))
		}
	}
	return v, nil
}

func (r *yamlReader) unknownTag(n *yaml.Node) error {
	return r.fail(n, "the tag %s is not supported: remove it", Quote(n.ShortTag()))
}

var (
	yamlErrorLine     = pattern(`^line (\d+): `)
	yamlParserError   = pattern(`^did not find expected (<|'|key|node content)|^found (duplicate|incompatible|undefined) `)
	yamlUnknownAnchor = pattern(`^unknown anchor '(.*)' referenced`)
)

// yamlError takes the line out of the library's text, as far as that tells one. Errors of its parser (not of its
// scanner) count lines from 0.
func yamlError(src []byte, err error) error {
	text := plainText(strings.TrimPrefix(err.Error(), "yaml: "))
	if m := yamlUnknownAnchor().FindStringSubmatch(text); m != nil {
		return syntaxErrorAt(src, bytes.Index(src, []byte("*"+m[1])), "%s", text)
	}
	if strings.HasPrefix(text, "control characters") {
		return syntaxErrorAt(src, bytes.IndexFunc(src, isYAMLControl), "%s", text)
	}
	line := 1
	if m := yamlErrorLine().FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		if text = text[len(m[0]):]; yamlParserError().MatchString(text) {
			line++
		}
	}
	lines := bytes.SplitN(src, []byte("\n"), line+1)
	line = min(line, len(lines))
	indent := len(lines[line-1]) - len(bytes.TrimLeft(lines[line-1], " "))
	pos := Position{Line: line, Column: 1 + indent}
	return &SyntaxError{Pos: pos, Message: text, Snippet: snippet(src, pos)}
}

func isYAMLControl(r rune) bool {
	return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\u0085", r)
}
