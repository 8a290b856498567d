package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"regexp/syntax"
	"strings"
)

const (
	maxSearched  = 5 << 20 // bytes of a file
	maxMatchLine = 500     // characters shown of a line

	maxRegexp     = 4096     // bytes
	maxRegexpSize = 5000     // instructions; together with maxPlainLine it bounds the time of one uninterrupted match
	maxPlainLine  = 64 << 10 // bytes
)

type grepResult struct {
	Output    string      `json:"output"` // "file:N│ text" or, with an id, "file:N:LID│ text", one match a line
	Matches   []grepMatch `json:"matches"`
	Count     int         `json:"count"`     // matches in this result
	Truncated bool        `json:"truncated"` // there may be more
}

type grepMatch struct {
	File    string `json:"file"` // relative to the project
	Line    int    `json:"line"`
	Content string `json:"content"`
	LineID  string `json:"line_id,omitempty"` // for files that were read and have not changed since
}

// searcher collects the matches of one grep.
type searcher struct {
	ctx   context.Context
	w     *workspace
	re    *regexp.Regexp
	found []grepMatch
	more  bool // a match was left out
}

func grep(ctx context.Context, call Call, params json.RawMessage) (any, error) {
	var pattern, name, include string
	given, err := fields{"pattern": &pattern, "path": &name, "include": &include}.decode(params, "pattern")
	if err != nil {
		return nil, err
	}
	re, err := compileRegexp(pattern)
	if err != nil {
		return nil, err
	}
	var filter *regexp.Regexp
	if given["include"] && include != "" {
		if filter, err = searchPattern(include); err != nil {
			return nil, failuref("include: %v", err)
		}
	}
	w, err := openWorkspace(call.Project)
	if err != nil {
		return nil, err
	}
	defer w.close()
	at, info, err := w.searchPath(name)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	s := &searcher{ctx: limited, w: w, re: re, found: []grepMatch{}}
	complete := true
	if info.IsDir() {
		complete, err = s.folder(at, filter)
	} else {
		err = s.file(at)
	}
	if err != nil {
		return nil, explainSearch(ctx, name, err)
	}
	return s.result(pattern, complete), nil
}

func compileRegexp(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxRegexp {
		return nil, failuref("Invalid regular expression: it is longer than %d bytes", maxRegexp)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	var cause *syntax.Error
	if errors.As(err, &cause) {
		shown, _ := clip(cause.Expr, 200)
		return nil, failuref("Invalid regular expression: %s: %s (the syntax is RE2: no look-around, no back-references)", cause.Code, printable(shown))
	}
	if err != nil {
		return nil, failuref("Invalid regular expression: %v", err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxRegexpSize {
		return nil, failure("Invalid regular expression: it is too complex; repeat less")
	}
	return regexp.Compile(pattern)
}

// folder searches what is below a folder and leaves out, without a word, what cannot be searched: links, special files,
// large and binary ones.
func (s *searcher) folder(folder string, filter *regexp.Regexp) (complete bool, err error) {
	return s.w.walk(s.ctx, folder, func(rel string, e fs.DirEntry) bool {
		if !e.Type().IsRegular() || !includes(filter, folder, rel) {
			return true
		}
		if info, err := e.Info(); err == nil && info.Size() <= maxSearched {
			_ = s.file(rel)
		}
		return !s.more
	})
}

// includes matches the name alone, so that *.go finds every Go file, or the path below the search path.
func includes(filter *regexp.Regexp, folder, rel string) bool {
	return filter == nil || filter.MatchString(path.Base(rel)) || filter.MatchString(relativeTo(folder, rel))
}

func (s *searcher) file(rel string) error {
	file, err := s.w.readText(rel, maxSearched)
	if err != nil {
		return err
	}
	first := len(s.found)
	for i, l := range file.lines {
		matched := s.matches(l.text)
		if err := s.ctx.Err(); err != nil { // the answer may be about a part of the line
			return err
		}
		if !matched {
			continue
		}
		if len(s.found) == maxResults {
			s.more = true
			break
		}
		content, _ := clip(l.text, maxMatchLine)
		s.found = append(s.found, grepMatch{File: rel, Line: i + 1, Content: content})
	}
	if first == len(s.found) {
		return nil
	}
	if index := s.w.loadIndex(rel); index.describes(file) {
		for i := range s.found[first:] {
			m := &s.found[first+i]
			m.LineID = index.Lines[m.Line-1].ID
		}
	}
	return nil
}

// matches takes time in proportion to the text; a text for which that could be long can be interrupted.
func (s *searcher) matches(text string) bool {
	if len(text) <= maxPlainLine {
		return s.re.MatchString(text)
	}
	return s.re.MatchReader(&interruptible{ctx: s.ctx, text: strings.NewReader(text)})
}

// interruptible is text that ends when ctx does.
type interruptible struct {
	ctx  context.Context
	text *strings.Reader
	read int
}

func (r *interruptible) ReadRune() (rune, int, error) {
	if r.read++; r.read%1024 == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return r.text.ReadRune()
}

func (s *searcher) result(pattern string, complete bool) grepResult {
	shown := make([]string, len(s.found))
	for i, m := range s.found {
		id := ""
		if m.LineID != "" {
			id = ":" + m.LineID
		}
		shown[i] = fmt.Sprintf("%s:%d%s│ %s", printable(m.File), m.Line, id, m.Content)
	}
	output := clipLines(strings.Join(shown, "\n"))
	if len(shown) == 0 {
		shown, _ := clip(printable(pattern), 200)
		output = "No matches for " + shown
	}
	return grepResult{Output: output, Matches: s.found, Count: len(s.found), Truncated: s.more || !complete}
}
