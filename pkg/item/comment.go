package item

import (
	"path"
	"strings"
)

// CommentStyle is how one line of comment is written in a file type: Prefix, one space, text, Suffix.
type CommentStyle struct{ Prefix, Suffix string }

// Wrap writes text as a comment line, without the line's end.
func (c CommentStyle) Wrap(text string) string { return c.Prefix + " " + text + c.Suffix }

var (
	hashComment  = CommentStyle{Prefix: "#"}
	slashComment = CommentStyle{Prefix: "//"}
	dashComment  = CommentStyle{Prefix: "--"}
	htmlComment  = CommentStyle{Prefix: "<!--", Suffix: " -->"}
)

var commentStyles = map[string]CommentStyle{
	".py": hashComment, ".pyi": hashComment, ".sh": hashComment, ".bash": hashComment, ".zsh": hashComment,
	".yaml": hashComment, ".yml": hashComment, ".toml": hashComment, ".rb": hashComment, ".pl": hashComment,
	".pm": hashComment, ".awk": hashComment, ".r": hashComment, ".jl": hashComment, ".tcl": hashComment,
	".js": slashComment, ".ts": slashComment, ".mjs": slashComment, ".cjs": slashComment, ".mts": slashComment,
	".cts": slashComment, ".jsx": slashComment, ".tsx": slashComment, ".go": slashComment, ".rs": slashComment,
	".lua": dashComment, ".sql": dashComment,
	".md": htmlComment, ".html": htmlComment, ".xml": htmlComment,
}

// CommentStyleOf is the comment syntax of a file type. ok is false for files that cannot hold a comment (JSON, binaries,
// unknown types): their signature is a file of its own beside them (design §2 row 9).
func CommentStyleOf(file string) (style CommentStyle, ok bool) {
	style, ok = commentStyles[strings.ToLower(path.Ext(file))]
	return style, ok
}
