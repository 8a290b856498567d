// Package redact takes the values of secrets out of text that people, logs and agents see: error messages, traces,
// checks. A value is found in plain and in any encoding that a program is likely to print it in.
package redact

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

const (
	// minLength is that of the shortest value that is looked for, in bytes. Shorter ones occur in innocent text.
	minLength = 6
	// cutLength is how much of a long value is enough: messages show the start of long texts.
	cutLength = 32
	// minLine is that of the shortest line of a value with several lines that is looked for by itself.
	minLine = 16
)

// secret is one text to find and what to call it.
type secret struct{ value, name string }

// Redactor replaces secrets by [redacted NAME]. The nil Redactor and the zero one change nothing. Text, Tail and Value may
// be called by many goroutines once the last secret was added.
type Redactor struct {
	mu      sync.Mutex
	pending []func(*Redactor)

	byFirst  [256][]secret // by the first byte of the value, longest first
	longest  int
	shortest int // of what is looked for: the start of a long value is enough
}

// New makes a Redactor of values by their names.
func New(values map[string]string) *Redactor {
	r := &Redactor{}
	for name, value := range values {
		r.Add(name, value)
	}
	return r
}

// AddLater has secrets added when a text is first looked at: most runs end well and show nothing that could hold one.
func (r *Redactor) AddLater(add func(*Redactor)) {
	if r != nil {
		r.pending = append(r.pending, add)
	}
}

// ready adds what is still to be added, and reports whether there is anything to look for.
func (r *Redactor) ready() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, add := range r.pending {
		add(r)
	}
	r.pending = nil
	return r.longest > 0
}

// Add adds a secret: the value without white space around it if it has 6 bytes or more, the password in it if it is a
// URL, and each long line of it if it has several, because logs break lines apart.
func (r *Redactor) Add(name, value string) {
	if password := Password(value); password != value {
		r.add(name, password)
	}
	value = strings.TrimSpace(value)
	r.add(name, value)
	if !strings.Contains(value, "\n") {
		return
	}
	for line := range strings.SplitSeq(value, "\n") {
		line = strings.TrimSpace(line)
		if len(line) >= minLine && !strings.HasPrefix(line, "-----") { // the frame of a PEM block is no secret
			r.add(name, line)
		}
	}
}

// AddVariable adds an environment variable if it is a secret: its name says so, or its value is a URL with a password.
func (r *Redactor) AddVariable(name, value string) {
	if Looks(name) {
		r.Add(name, value)
	} else {
		r.add(name, Password(value))
	}
}

// AddValue adds every text in a value of JSON's kinds.
func (r *Redactor) AddValue(name string, value any) {
	walk(value, func(text string) string {
		r.Add(name, text)
		return text
	})
}

// add files a value, and the forms of it that are no decoding away: + for spaces, quotes in single-quoted shell text,
// and what is left of it where text must be UTF-8.
func (r *Redactor) add(name, value string) {
	for _, form := range []string{
		value,
		strings.ReplaceAll(value, " ", "+"),
		strings.ReplaceAll(value, "'", `'\''`),
		strings.ReplaceAll(value, "'", `'"'"'`),
		strings.ToValidUTF8(value, "\uFFFD"),
	} {
		if len(form) < minLength {
			continue
		}
		added := secret{form, plainName(name)}
		first := &r.byFirst[form[0]]
		at, known := slices.BinarySearchFunc(*first, added, compare)
		if !known {
			*first = slices.Insert(*first, at, added)
			r.longest = max(r.longest, len(form))
			r.shortest = min(cmp.Or(r.shortest, cutLength), len(form))
		}
	}
}

// compare puts longer values first.
func compare(a, b secret) int {
	if len(a.value) != len(b.value) {
		return len(b.value) - len(a.value)
	}
	return strings.Compare(a.value, b.value)
}

// plainName keeps a placeholder readable, and free of what JSON, shells and terminals would act on.
func plainName(name string) string {
	const most = 64
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '?'
	}, name[:min(len(name), most)])
}

// Text is the text without secrets.
func (r *Redactor) Text(text string) string { return render(text, 0, r.find(text)) }

// Tail is the last bytes of a text without secrets: at most that many before the replacement, and fewer if a secret
// would be cut in two.
func (r *Redactor) Tail(text string, most int) string {
	if len(text) <= most {
		return r.Text(text)
	}
	if !r.ready() {
		return text[len(text)-most:]
	}
	text = text[max(0, len(text)-most-r.widest()):]
	return render(text, len(text)-most, r.find(text))
}

// widest is how many bytes a secret may take in a text: one byte takes 12 where an escape was escaped.
func (r *Redactor) widest() int { return 12 * r.longest }

// render replaces the hits in what comes after from; one that began before it is left out as a whole.
func render(text string, from int, hits []hit) string {
	if len(hits) == 0 {
		return text[from:]
	}
	var out strings.Builder
	for _, h := range hits {
		if h.end <= from {
			continue
		}
		if h.start >= from {
			out.WriteString(text[from:h.start])
			out.WriteString("[redacted " + h.name + "]")
		}
		from = h.end
	}
	out.WriteString(text[from:])
	return out.String()
}

// Started is how many bytes at the end of the text are the start of a secret, in plain, whose rest may still come.
func (r *Redactor) Started(text string) int {
	if !r.ready() {
		return 0
	}
	for at := max(0, len(text)-r.longest); at < len(text); at++ {
		for _, s := range r.byFirst[text[at]] {
			if len(s.value) > len(text)-at && strings.HasPrefix(s.value, text[at:]) {
				return len(text) - at
			}
		}
	}
	return 0
}

// Value is a copy of a value of JSON's kinds, mappings that keep their order included, in which no text holds secrets.
func (r *Redactor) Value(value any) any { return walk(value, r.Text) }

// ordered is a mapping that keeps the order of its keys.
type ordered interface {
	Transform(change func(value any) any) any
}

func walk(value any, change func(string) string) any {
	each := func(v any) any { return walk(v, change) }
	switch v := value.(type) {
	case string:
		return change(v)
	case []string:
		texts := make([]string, len(v))
		for i, text := range v {
			texts[i] = change(text)
		}
		return texts
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = each(element)
		}
		return list
	case map[string]string:
		texts := make(map[string]string, len(v))
		for name, text := range v {
			texts[name] = change(text)
		}
		return texts
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, element := range v {
			object[name] = each(element)
		}
		return object
	case json.RawMessage:
		return json.RawMessage(change(string(v)))
	case ordered:
		return v.Transform(each)
	}
	return value
}
