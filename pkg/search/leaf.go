package search

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
)

// leaf is one term of a query: words to find, or a property that a file must have.
type leaf struct {
	filter, value string // kind, space, category or tag

	words []pattern
	only  *field // the field to look in; nil is all
	gap   uint32 // how far each word may stand behind the one before
}

// Spaces are the spaces that a query can name.
var Spaces = []string{"project", "user", "system"}

// newLeaf is nil for a token without a word in it.
func newLeaf(t token) (*leaf, error) {
	switch t.field {
	case "kind":
		kind, err := ParseKind(t.text)
		return &leaf{filter: t.field, value: string(kind)}, err
	case "space":
		return &leaf{filter: t.field, value: t.text}, CheckSpace(t.text)
	case "category", "tag":
		return &leaf{filter: t.field, value: strings.ToLower(strings.Trim(t.text, "/"))}, nil
	}
	l := &leaf{gap: 1}
	if f, ok := fieldNames[t.field]; ok {
		l.only = &f
	}
	if t.quoted {
		for _, word := range wordsOf(t.text) {
			l.words = append(l.words, pattern{text: word, form: whole})
		}
		if n, err := strconv.ParseUint(strings.TrimPrefix(t.suffix, "~"), 10, 8); err == nil && len(l.words) > 1 {
			l.gap = uint32(n) + 1
		}
	} else {
		l.words = patternsOf(t.text)
	}
	if len(l.words) == 0 {
		return nil, nil
	}
	return l, nil
}

// ParseKind is item.ParseKind with a hint for a misspelt one.
func ParseKind(name string) (item.Kind, error) {
	kind, err := item.ParseKind(name)
	if err == nil {
		return kind, nil
	}
	names := item.KindNames()
	return "", withNear(item.Usagef("unknown kind %s: a kind is one of %s", item.Quote(name), strings.Join(names, ", ")), name, names)
}

// CheckSpace refuses the name of a space that does not exist.
func CheckSpace(name string) error {
	if slices.Contains(Spaces, name) {
		return nil
	}
	return withNear(item.Usagef("unknown space %s: a space is one of %s", item.Quote(name), strings.Join(Spaces, ", ")), name, Spaces)
}

func withNear(err *item.Error, name string, names []string) error {
	if near := item.Suggest(name, names); near != "" {
		err.Hint("did you mean %s?", near)
	}
	return err
}

// fits judges a filter.
func (l *leaf) fits(f File, in Origin) bool {
	switch l.filter {
	case "kind":
		return string(in.Kind) == l.value
	case "space":
		return in.Space == l.value
	case "category":
		return f.Category == l.value || l.value == "" || strings.HasPrefix(f.Category, l.value+"/")
	default:
		return slices.Contains(f.Tags, l.value)
	}
}

// pattern is what one word of a text must look like.
type pattern struct {
	text string
	form form
	most int // letters that may differ
}

type form int

const (
	anywhere form = iota // inside of a word
	whole
	ending
	beginning
	glob
	nearly
)

// patternsOf are the words of a bare term. One with several, as rye/bash, is a phrase whose ends may be parts of words.
func patternsOf(text string) []pattern {
	text = strings.ToLower(text)
	if word, most, ok := strings.Cut(text, "~"); ok && word != "" {
		if p := nearlyPattern(word, most); p != nil {
			return []pattern{*p}
		}
	}
	var patterns []pattern
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return !isWordRune(r) && r != '*' }) {
		if strings.Trim(piece, "*") == "" {
			continue
		}
		if strings.Contains(piece, "*") {
			patterns = append(patterns, pattern{text: piece, form: glob})
			continue
		}
		for _, word := range wordsOf(piece) {
			patterns = append(patterns, pattern{text: word, form: whole})
		}
	}
	if len(patterns) == 1 && patterns[0].form == whole {
		patterns[0].form = anywhere
	} else if last := len(patterns) - 1; last > 0 {
		patterns[0].loosen(ending)
		patterns[last].loosen(beginning)
	}
	return patterns
}

func (p *pattern) loosen(to form) {
	if p.form == whole {
		p.form = to
	}
}

// nearlyPattern allows one letter of a short word to differ and two of a longer one, unless most says how many.
func nearlyPattern(word, most string) *pattern {
	for range wordsOf(word) {
		n := 1 + utf8.RuneCountInString(word)/6
		if given, err := strconv.Atoi(most); err == nil && given >= 0 {
			n = given
		}
		return &pattern{text: word, form: nearly, most: min(n, 3)}
	}
	return nil
}

// weigh is how well a word fits: 0 for not at all.
func (p pattern) weigh(word string) float64 {
	const part = 0.5 // what is found inside of another word is worth half
	fits := false
	switch p.form {
	case anywhere:
		fits = strings.Contains(word, p.text)
	case ending:
		fits = strings.HasSuffix(word, p.text)
	case beginning:
		fits = strings.HasPrefix(word, p.text)
	case glob:
		if ok, err := path.Match(p.text, word); ok && err == nil {
			return 1
		}
	case nearly:
		fits = distance(p.text, word, p.most) <= p.most
	}
	switch {
	case p.text == word:
		return 1
	case fits:
		return part
	}
	return 0
}

// distance is how many letters must be changed, added or taken away to turn a into b; limit+1 if it is more than limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
			least = min(least, cost)
		}
		if least > limit {
			return limit + 1
		}
	}
	return row[len(y)]
}
