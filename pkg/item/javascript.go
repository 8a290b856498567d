package item

import (
	"errors"

	"github.com/tdewolff/parse/v2/js"
)

// readJavaScript reads the literals that a JavaScript or TypeScript module gives names at its top level:
// `[export] const|let|var NAME [: Type] = literal` and `[module.]exports.NAME = literal`. It reads tokens, not
// a syntax tree: whatever is inside brackets of other statements is passed over.
func readJavaScript(src []byte) (*Document, error) {
	src, err := sourceText(src)
	if err != nil {
		return nil, err
	}
	tokens, err := scanJavaScript(src)
	if err != nil {
		return nil, err
	}
	r := &jsReader{src: src, tokens: tokens, doc: newDocument(), cursor: newPositionCursor(src)}
	for i := 0; i < len(tokens); {
		if i, err = r.statement(i); err != nil {
			return nil, err
		}
	}
	return r.doc, nil
}

type jsReader struct {
	src    []byte
	tokens []jsToken
	doc    *Document
	cursor *positionCursor
	begin  int // where a statement is known to start: at the first token, and behind a declaration
}

// kind of the token i; js.ErrorToken behind the last one.
func (r *jsReader) kind(i int) js.TokenType {
	if i < len(r.tokens) {
		return r.tokens[i].kind
	}
	return js.ErrorToken
}

func (r *jsReader) text(i int) string {
	if i < len(r.tokens) {
		return string(r.src[r.tokens[i].start:r.tokens[i].end])
	}
	return ""
}

func (r *jsReader) offset(i int) int {
	if i < len(r.tokens) {
		return r.tokens[i].start
	}
	return len(r.src)
}

// after is the index behind token i, and behind all that is inside it when it opens a bracket.
func (r *jsReader) after(i int) int { return max(i, r.tokens[i].match) + 1 }

// statement reads the declarations that start at token i, or passes over that one token.
func (r *jsReader) statement(i int) (next int, err error) {
	if r.startsStatement(i) {
		switch r.kind(i) {
		case js.ConstToken, js.LetToken, js.VarToken:
			r.begin, err = r.declarations(i + 1)
			return r.begin, err
		}
		if name, value := r.exported(i); name != "" {
			return r.assign(name, value)
		}
	}
	return r.after(i), nil
}

// startsStatement is certain for the keywords and names that statement looks for. Where no semicolon stands before
// them, a new line that cannot continue an expression does what it does in the language.
func (r *jsReader) startsStatement(i int) bool {
	if i == r.begin {
		return true
	}
	t, prev := r.tokens[i], r.tokens[i-1]
	switch prev.kind {
	case js.SemicolonToken, js.ExportToken:
		return true
	case js.CloseBraceToken:
		if !prev.operand {
			return true
		}
	}
	if !t.newline || !js.IsIdentifierName(t.kind) || t.kind == js.InToken || t.kind == js.InstanceofToken {
		return false
	}
	// Neither `const` nor `export` can be the branch of an if, so they need no look at what stands before.
	return prev.operand || t.kind == js.ConstToken || t.kind == js.ExportToken
}

// exported matches `exports.NAME =` and `module.exports.NAME =`; value is the index behind the equals sign.
func (r *jsReader) exported(i int) (name string, value int) {
	if r.text(i) == "module" && r.kind(i+1) == js.DotToken {
		i += 2
	}
	if r.text(i) != "exports" || r.kind(i+1) != js.DotToken || r.kind(i+3) != js.EqToken {
		return "", 0
	}
	if !js.IsIdentifierName(r.kind(i + 2)) {
		return "", 0
	}
	return r.text(i + 2), i + 4
}

// declarations reads `NAME [: Type] = value, …`.
func (r *jsReader) declarations(i int) (next int, err error) {
	for js.IsIdentifier(r.kind(i)) {
		name := r.text(i)
		i++
		if r.kind(i) == js.NotToken {
			i++
		}
		if r.kind(i) == js.ColonToken {
			i = r.skipType(i + 1)
		}
		switch r.kind(i) {
		case js.EqToken, js.GtEqToken, js.GtGtEqToken, js.GtGtGtEqToken: // `: Array<string>= …` ends in one token
			if i, err = r.assign(name, i+1); err != nil {
				return i, err
			}
		}
		if r.kind(i) != js.CommaToken {
			return i, nil
		}
		i++
	}
	return i, nil
}

// assign reads the value at token i and records it under name.
func (r *jsReader) assign(name string, i int) (next int, err error) {
	pos := r.cursor.at(r.offset(i))
	v, next, err := r.expression(i, 0)
	switch {
	case err == nil && r.endsExpression(next):
		r.doc.set(name, v, pos)
		return next, nil
	case err == nil || errors.Is(err, errNotLiteral):
		// `exports.CONFIG = CONFIG` says nothing new about a name that was read already.
		_, known := r.doc.Values.Get(name)
		if !known || r.text(i) != name || !r.endsExpression(i+1) {
			r.doc.skip(name, pos)
		}
		return r.skipExpression(i), nil
	}
	return next, err
}

// endsExpression reports whether nothing from token i on can belong to the expression before it.
func (r *jsReader) endsExpression(i int) bool {
	if i >= len(r.tokens) {
		return true
	}
	t := r.tokens[i]
	switch t.kind {
	case js.SemicolonToken, js.CommaToken:
		return true
	case js.InToken, js.InstanceofToken:
		return false
	case js.OpenBraceToken, js.StringToken, js.NotToken, js.BitNotToken, js.IncrToken, js.DecrToken, js.ErrorToken:
		return t.newline
	}
	return t.newline && (js.IsIdentifierName(t.kind) || js.IsNumeric(t.kind))
}

// skipExpression is the index of the comma, semicolon or statement that follows the expression at token i.
func (r *jsReader) skipExpression(i int) int {
	for start := i; i < len(r.tokens); i = r.after(i) {
		if k := r.kind(i); k == js.CommaToken || k == js.SemicolonToken || i > start && r.startsStatement(i) {
			return i
		}
	}
	return i
}

// skipType is the index behind the TypeScript type at token i: at `=`, at a comma outside `<…>`, at a closing bracket,
// or where the next statement starts.
func (r *jsReader) skipType(i int) int {
	angles := 0
	for start := i; i < len(r.tokens); i = r.after(i) {
		switch r.kind(i) {
		case js.LtToken:
			angles++
		case js.LtLtToken:
			angles += 2
		case js.GtToken:
			angles--
		case js.GtGtToken:
			angles -= 2
		case js.GtGtGtToken:
			angles -= 3
		case js.CommaToken:
			if angles <= 0 {
				return i
			}
		case js.EqToken, js.GtEqToken, js.GtGtEqToken, js.GtGtGtEqToken, js.SemicolonToken,
			js.CloseBraceToken, js.CloseParenToken, js.CloseBracketToken, js.TemplateMiddleToken, js.TemplateEndToken:
			return i
		}
		if i > start && angles <= 0 && r.tokens[i].newline && js.IsIdentifierName(r.kind(i)) && r.endsType(i-1) {
			return i
		}
	}
	return i
}

func (r *jsReader) endsType(i int) bool {
	switch t := r.tokens[i]; t.kind {
	case js.GtToken, js.GtGtToken, js.GtGtGtToken, js.VoidToken:
		return true
	default:
		return t.operand
	}
}
