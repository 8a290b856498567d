package search

import (
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// Query is a parsed search:
//
//	state graph            both, each also inside of a word
//	state OR graph         either; OR binds weaker than what stands side by side
//	graph NOT directive    the first without the second
//	(a OR b) c             parentheses
//	"state graph"          these words in this order; "state graph"~3 with up to 3 words' distance from each to the next
//	exec*                  words of this form
//	signatrue~             words that are nearly this one; ~2 says how many letters may differ
//	title:graph            in one field: name, title, description or body
//	kind:knowledge space:project category:rye/core tag:safety
//	tool:rye/bash          a kind, and a part of the id
//
// Bad syntax is no error: what cannot be an operator is taken for text.
type Query struct {
	root   *node
	leaves []*leaf
}

// node is an operation on others, or a leaf.
type node struct {
	op    operator
	parts []*node
	leaf  int
}

type operator int

const (
	leafNode operator = iota
	andNode
	orNode
	notNode
)

// Bounds of a query, so that no request can keep a machine busy.
const (
	maxQuery  = 1000 // bytes
	maxLeaves = 32
	maxNested = 32
)

// ParseQuery reads a query. It fails for one that is too long, or asks for a kind or a space that does not exist.
func ParseQuery(text string) (*Query, error) {
	if len(text) > maxQuery {
		return nil, item.Usagef("the query is %d bytes long; at most %d are allowed", len(text), maxQuery)
	}
	p := &queryParser{tokens: scanQuery(text), query: &Query{}}
	var parts []*node
	for p.at < len(p.tokens) {
		if part := p.either(0); part != nil {
			parts = append(parts, part)
		}
		p.at++ // a parenthesis that closes nothing
	}
	p.query.root = join(andNode, parts)
	if p.err == nil && len(p.query.leaves) > maxLeaves {
		p.err = item.Usagef("the query has %d terms; at most %d are allowed", len(p.query.leaves), maxLeaves)
	}
	return p.query, p.err
}

// Empty reports whether the query asks for nothing, so that everything fits it.
func (q *Query) Empty() bool { return q.root == nil }

// Asks reports whether the query filters by a field: kind, space, category or tag.
func (q *Query) Asks(field string) bool {
	for _, l := range q.leaves {
		if l.filter == field {
			return true
		}
	}
	return false
}

type queryParser struct {
	tokens []token
	at     int
	query  *Query
	err    error
}

// take consumes the token if it is the operator or parenthesis.
func (p *queryParser) take(operator string) bool {
	if p.at < len(p.tokens) && !p.tokens[p.at].quoted && p.tokens[p.at].text == operator {
		p.at++
		return true
	}
	return false
}

func (p *queryParser) either(depth int) *node {
	parts := []*node{p.all(depth)}
	for p.take("OR") {
		parts = append(parts, p.all(depth))
	}
	return join(orNode, parts)
}

func (p *queryParser) all(depth int) *node {
	var parts []*node
	for p.at < len(p.tokens) && !p.tokens[p.at].is(")") && !p.tokens[p.at].is("OR") {
		if p.take("AND") {
			continue
		}
		parts = append(parts, p.one(depth))
	}
	return join(andNode, parts)
}

func (p *queryParser) one(depth int) *node {
	negated := false
	for p.take("NOT") {
		negated = !negated
	}
	var n *node
	switch {
	case p.at == len(p.tokens) || p.tokens[p.at].is(")") || p.tokens[p.at].is("OR") || p.tokens[p.at].is("AND"):
		return nil
	case p.take("("):
		if depth < maxNested {
			n = p.either(depth + 1)
			p.take(")")
		}
	default:
		n = p.term(p.tokens[p.at])
		p.at++
	}
	if n != nil && negated {
		return &node{op: notNode, parts: []*node{n}}
	}
	return n
}

// term is nil for text without a word in it. A reference, as tool:rye/bash, asks for the kind and for the name.
func (p *queryParser) term(t token) *node {
	if slices.Contains(item.Kinds(), item.Kind(t.field)) {
		kind := p.term(token{field: "kind", text: t.field})
		t.field = "name"
		return join(andNode, []*node{kind, p.term(t)})
	}
	l, err := newLeaf(t)
	if err != nil && p.err == nil {
		p.err = err
	}
	if l == nil {
		return nil
	}
	p.query.leaves = append(p.query.leaves, l)
	return &node{op: leafNode, leaf: len(p.query.leaves) - 1}
}

// join makes one node of several and leaves out what is nothing.
func join(op operator, parts []*node) *node {
	var present []*node
	for _, part := range parts {
		if part != nil {
			present = append(present, part)
		}
	}
	switch len(present) {
	case 0:
		return nil
	case 1:
		return present[0]
	}
	return &node{op: op, parts: present}
}

// token is a word, a quoted text, an operator or a parenthesis.
type token struct {
	field  string // what stands before a colon, if it is the name of a field
	text   string
	quoted bool
	suffix string // what follows the closing quote: ~3
}

func (t token) is(operator string) bool { return !t.quoted && t.field == "" && t.text == operator }

// queryFields are what may stand before a colon.
var queryFields = []string{
	"kind", "space", "category", "tag", "name", "title", "description", "body", "tool", "directive", "agent", "knowledge", "config",
}

func scanQuery(text string) []token {
	var tokens []token
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return tokens
		}
		if text[0] == '(' || text[0] == ')' {
			tokens = append(tokens, token{text: text[:1]})
			text = text[1:]
			continue
		}
		var t token
		for _, name := range queryFields {
			if rest, ok := strings.CutPrefix(text, name+":"); ok {
				t.field, text = name, rest
				break
			}
		}
		if strings.HasPrefix(text, `"`) {
			t.quoted = true
			t.text, text, _ = strings.Cut(text[1:], `"`)
			t.suffix, text = cutWord(text)
		} else {
			t.text, text = cutWord(text)
		}
		tokens = append(tokens, t)
	}
}

// cutWord splits text before the next space, parenthesis or quote.
func cutWord(text string) (word, rest string) {
	if i := strings.IndexAny(text, " \t\r\n()\""); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}
