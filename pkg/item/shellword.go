package item

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ShellWord is one argument of a command that a person is told to type.
func ShellWord(arg string) string {
	plain := func(r rune) bool {
		return r < 0x80 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,=~", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	if strings.IndexFunc(arg, func(r rune) bool { return !unicode.IsGraphic(r) }) >= 0 || !utf8.ValidString(arg) {
		arg = strconv.QuoteToGraphic(arg)
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
