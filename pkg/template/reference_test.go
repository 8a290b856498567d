package template

import "strings"

// shellReference reads a script by recursive descent, unlike the scanner, which walks bytes and keeps a stack. It
// renders the script as a list of events: q and a byte of quoted data, u and a byte of other text, and the marks of
// substitutions. Constructs whose inside is never data are rendered byte by byte with r; so is the rest of a script
// once shells would disagree about it.
type shellReference struct {
	in  string
	out strings.Builder
}

func renderShell(script string) string {
	r := shellReference{in: script}
	r.code(0)
	r.raw(len(r.in))
	return r.out.String()
}

// renderQuoted is how data looks that arrived in quotes.
func renderQuoted(data string) string {
	var r shellReference
	r.emit('q', data)
	return r.out.String()
}

func (r *shellReference) emit(kind byte, text string) {
	for i := range len(text) {
		r.out.WriteByte(kind)
		r.out.WriteByte(text[i])
	}
}

// take emits the first n bytes as the given kind.
func (r *shellReference) take(kind byte, n int) {
	n = min(n, len(r.in))
	r.emit(kind, r.in[:n])
	r.in = r.in[n:]
}

func (r *shellReference) raw(n int)             { r.take('r', n) }
func (r *shellReference) skip(n int)            { r.in = r.in[min(n, len(r.in)):] }
func (r *shellReference) at(prefix string) bool { return strings.HasPrefix(r.in, prefix) }

// until is the length of what ends with the first unescaped end byte.
func (r *shellReference) until(end byte) int {
	for i := 0; i < len(r.in); i++ {
		switch r.in[i] {
		case '\\':
			i++
		case end:
			return i + 1
		}
	}
	return len(r.in)
}

// code reads commands up to end, a parenthesis or 0.
func (r *shellReference) code(end byte) {
	fresh := true
	for r.in != "" {
		c := r.in[0]
		wasFresh := fresh
		fresh = strings.IndexByte(" \t\n;&|()<>", c) >= 0
		switch {
		case c == end && end != 0:
			r.take('u', 1)
			return
		case r.at("\\\n"):
			r.skip(2)
			fresh = wasFresh
		case c == '\\':
			r.skip(1)
			r.take('q', 1)
		case c == '\'':
			r.skip(1)
			body, _, _ := strings.Cut(r.in, "'")
			r.take('q', len(body))
			r.skip(1)
		case c == '"':
			r.skip(1)
			r.double()
		case c == '#' && wasFresh:
			line, _, _ := strings.Cut(r.in, "\n")
			r.raw(len(line))
		case r.at("<<"):
			r.raw(len(r.in))
		case r.at("(("):
			r.take('u', 2)
			r.arith()
		case c == '(':
			r.take('u', 1)
			r.code(')')
		case r.at("$'"):
			r.raw(2)
			r.raw(r.until('\''))
		default:
			r.expansion()
		}
	}
}

// double reads up to the closing double quote.
func (r *shellReference) double() {
	for r.in != "" {
		switch {
		case r.at(`"`):
			r.skip(1)
			return
		case r.at(`\`):
			r.take('q', 2)
		case r.at("$"), r.at("`"):
			r.expansion()
		default:
			r.take('q', 1)
		}
	}
}

// expansion reads one substitution, or one byte if none starts here.
func (r *shellReference) expansion() {
	r.in = joined(r.in)
	switch {
	case r.at("$(("):
		r.take('u', 3)
		r.arith()
	case r.at("$("):
		r.take('u', 2)
		r.code(')')
	case r.at("${"):
		r.raw(2)
		r.braces()
	case r.at("$["):
		r.raw(len(r.in))
	case r.at("$$"):
		r.take('u', 2)
	case r.at("`"):
		r.raw(1)
		r.raw(r.until('`'))
	default:
		r.take('u', 1)
	}
}

// joined removes escaped line ends behind a $.
func joined(text string) string {
	for strings.HasPrefix(text, "$\\\n") {
		text = "$" + text[3:]
	}
	return text
}

// braces reads the inside of ${…}; the scanner refuses data in it, so only its end matters.
func (r *shellReference) braces() {
	for r.in != "" {
		switch c := r.in[0]; c {
		case '}':
			r.raw(1)
			return
		case '\\':
			r.raw(2)
		case '\'', '"':
			r.raw(1)
			r.raw(r.until(c))
		case '$', '`':
			r.expansion()
		default:
			r.raw(1)
		}
	}
}

// arith reads the inside of $((…)); what turns out to be subshells is left to the raw rest.
func (r *shellReference) arith() {
	depth := 2
	for r.in != "" && depth > 0 {
		switch r.in[0] {
		case '(':
			depth++
			r.raw(1)
		case ')':
			depth--
			r.raw(1)
			if depth == 1 && !r.at(")") {
				r.raw(len(r.in))
			}
		case '$', '`':
			r.expansion()
		default:
			r.raw(1)
		}
	}
}
