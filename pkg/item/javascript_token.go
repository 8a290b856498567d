package item

import (
	"bytes"
	"slices"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// jsToken is one significant token of JavaScript or TypeScript: no space, no comment. Whatever the lexer does not know
// (a decorator's @, say) is a js.ErrorToken.
type jsToken struct {
	kind       js.TokenType
	start, end int
	match      int  // of an opening bracket or `${`: the index of the token that closes it
	newline    bool // a line ends between the token before and this one
	operand    bool // it ends an operand, so that a "/" after it divides
	control    bool // the parentheses of if, for, while and with, after which a statement follows
	value      bool // a "{" where a value is expected: it opens an object, not a block
}

type jsScanner struct {
	src    []byte
	input  *parse.Input
	lexer  *js.Lexer
	tokens []jsToken
	open   []int // brackets that are not closed yet
}

var jsClosers = map[js.TokenType]js.TokenType{
	js.OpenBraceToken:     js.CloseBraceToken,
	js.OpenParenToken:     js.CloseParenToken,
	js.OpenBracketToken:   js.CloseBracketToken,
	js.TemplateStartToken: js.TemplateEndToken,
}

// scanJavaScript cuts src into tokens and pairs its brackets.
func scanJavaScript(src []byte) ([]jsToken, error) {
	// The lexer writes a NUL behind the slice it is given; a clipped slice makes it copy instead.
	input := parse.NewInputBytes(slices.Clip(src))
	input.Move(shebangLength(src))
	input.Skip()
	s := &jsScanner{src: src, input: input, lexer: js.NewLexer(input)}
	newline := false
	for input.Offset() < len(src) {
		start := input.Offset()
		kind, _ := s.lexer.Next()
		switch kind {
		case js.WhitespaceToken, js.CommentToken:
			continue
		case js.LineTerminatorToken, js.CommentLineTerminatorToken:
			newline = true
			continue
		case js.ErrorToken:
			if err := s.unterminated(start); err != nil {
				return nil, err
			}
			input.Skip()
		case js.DivToken, js.DivEqToken:
			if !s.previous().operand {
				if kind, _ = s.lexer.RegExp(); kind == js.ErrorToken {
					return nil, syntaxErrorAt(src, start, "this regular expression has no closing '/' on its line")
				}
			}
		}
		if err := s.add(jsToken{kind: kind, start: start, end: min(input.Offset(), len(src)), newline: newline}); err != nil {
			return nil, err
		}
		newline = false
	}
	if len(s.open) > 0 {
		t := s.tokens[s.open[len(s.open)-1]]
		return nil, syntaxErrorAt(src, t.start, "%q is never closed", src[t.start:t.end])
	}
	return s.tokens, nil
}

// shebangLength is the length of a #! line, which is no token of the language.
func shebangLength(src []byte) int {
	if !bytes.HasPrefix(src, []byte("#!")) {
		return 0
	}
	if end := bytes.IndexByte(src, '\n'); end >= 0 {
		return end
	}
	return len(src)
}

// unterminated tells the errors that make the rest of a file unreadable from characters that are merely unknown.
func (s *jsScanner) unterminated(start int) error {
	what := ""
	switch c := s.src[start]; {
	case c == '"' || c == '\'':
		what = "string has no closing quote on its line"
	case c == '`' || c == '}':
		what = "template has no closing '`'"
	case bytes.HasPrefix(s.src[start:], []byte("/*")):
		what = "comment has no closing '*/'"
	default:
		return nil
	}
	return syntaxErrorAt(s.src, start, "this %s", what)
}

func (s *jsScanner) previous() jsToken {
	if len(s.tokens) == 0 {
		return jsToken{kind: js.SemicolonToken}
	}
	return s.tokens[len(s.tokens)-1]
}

// add appends a token, with what its neighbours tell about it.
func (s *jsScanner) add(t jsToken) error {
	prev := s.previous()
	switch t.kind {
	case js.OpenParenToken:
		t.control = s.controls(len(s.tokens) - 1)
		s.open = append(s.open, len(s.tokens))
	case js.OpenBraceToken:
		t.value = expectsValue(prev)
		s.open = append(s.open, len(s.tokens))
	case js.OpenBracketToken, js.TemplateStartToken:
		s.open = append(s.open, len(s.tokens))
	case js.CloseBraceToken, js.CloseParenToken, js.CloseBracketToken, js.TemplateEndToken:
		opener, err := s.close(t)
		if err != nil {
			return err
		}
		t.control = opener.control
		t.operand = !opener.control && (t.kind != js.CloseBraceToken || opener.value)
	default:
		t.operand = endsOperand(t.kind, prev)
	}
	s.tokens = append(s.tokens, t)
	return nil
}

func (s *jsScanner) close(t jsToken) (opener jsToken, err error) {
	text := s.src[t.start:t.end]
	if len(s.open) == 0 {
		return jsToken{}, syntaxErrorAt(s.src, t.start, "%q closes nothing", text)
	}
	last := s.open[len(s.open)-1]
	opener = s.tokens[last]
	if jsClosers[opener.kind] != t.kind {
		return jsToken{}, syntaxErrorAt(s.src, t.start, "%q cannot close the %q of line %d",
			text, s.src[opener.start:opener.end], PositionAt(s.src, opener.start).Line)
	}
	s.open = s.open[:len(s.open)-1]
	s.tokens[last].match = len(s.tokens)
	return opener, nil
}

// controls reports whether token i is a keyword whose parentheses are followed by a statement.
func (s *jsScanner) controls(i int) bool {
	if i < 0 || i > 0 && s.tokens[i-1].kind == js.DotToken {
		return false
	}
	switch s.tokens[i].kind {
	case js.IfToken, js.ForToken, js.WhileToken, js.WithToken:
		return true
	}
	return false
}

// expectsValue reports whether a "{" after the token opens an object.
func expectsValue(prev jsToken) bool {
	switch prev.kind {
	case js.SemicolonToken, js.OpenBraceToken, js.CloseBraceToken, js.CloseParenToken, js.ArrowToken,
		js.ElseToken, js.DoToken, js.TryToken, js.FinallyToken, js.ExportToken, js.ImportToken:
		return false
	}
	return !prev.operand
}

func endsOperand(kind js.TokenType, prev jsToken) bool {
	switch kind {
	case js.StringToken, js.TemplateToken, js.RegExpToken, js.PrivateIdentifierToken,
		js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
		return true
	case js.NotToken, js.IncrToken, js.DecrToken: // after an operand they are postfix: TypeScript's x!, i++
		return prev.operand
	case js.ConstToken: // `as const` ends a value
		return prev.kind == js.AsToken
	}
	if js.IsReservedWord(kind) { // a property may have the name of a keyword
		return prev.kind == js.DotToken || prev.kind == js.OptChainToken
	}
	return js.IsNumeric(kind) || js.IsIdentifier(kind)
}
