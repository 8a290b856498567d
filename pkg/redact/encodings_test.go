package redact

import (
	base64encoding "encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
)

// encodings are ways in which programs print text. Each must be undone wherever it stands.
var encodings = map[string]func(string) string{
	"plain":          func(s string) string { return s },
	"base64":         func(s string) string { return base64encoding.StdEncoding.EncodeToString([]byte(s)) },
	"base64, 1 left": func(s string) string { return base64encoding.StdEncoding.EncodeToString([]byte("u" + s + "tail")) },
	"base64, 2 left": func(s string) string { return base64encoding.RawStdEncoding.EncodeToString([]byte("us" + s)) },
	"base64 URL":     func(s string) string { return base64encoding.URLEncoding.EncodeToString([]byte("user:" + s)) },
	"base64 URL raw": func(s string) string { return base64encoding.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64 lines":   func(s string) string { return wrap(base64encoding.StdEncoding.EncodeToString([]byte(s)), 10) },
	"base64 twice": func(s string) string {
		return base64encoding.StdEncoding.EncodeToString([]byte(base64encoding.RawStdEncoding.EncodeToString([]byte(s))))
	},
	"hex":         func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":         func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex, odd":    func(s string) string { return "a" + hex.EncodeToString([]byte(s)) },
	"URL query":   url.QueryEscape,
	"URL path":    url.PathEscape,
	"URL lower":   func(s string) string { return percentEncoded(s, "%%%02x") },
	"URL upper":   func(s string) string { return percentEncoded(s, "%%%02X") },
	"JSON":        jsonEncoded,
	"JSON slash":  func(s string) string { return strings.ReplaceAll(jsonEncoded(s), "/", `\/`) },
	"JSON \\u":    unicodeEncoded,
	"JSON twice":  func(s string) string { return jsonEncoded(jsonEncoded(s)) },
	"HTML":        html.EscapeString,
	"HTML digits": htmlDigits,
	"Go":          func(s string) string { return unquoted(strconv.QuoteToASCII(s)) },
	"shell":       func(s string) string { return strings.ReplaceAll(s, "'", `'\''`) },
	"shell %q":    shellBackslashes,
	"URL of base64": func(s string) string {
		return url.QueryEscape(base64encoding.StdEncoding.EncodeToString([]byte("x" + s)))
	},
	"JSON of URL of base64": func(s string) string {
		return jsonEncoded(url.QueryEscape(base64encoding.StdEncoding.EncodeToString([]byte(s))))
	},
}

func wrap(s string, width int) string {
	var lines []string
	for len(s) > width {
		lines, s = append(lines, s[:width]), s[width:]
	}
	return strings.Join(append(lines, s), "\n")
}

func percentEncoded(s, format string) (out string) {
	for i := range len(s) {
		out += fmt.Sprintf(format, s[i])
	}
	return out
}

func unquoted(s string) string { return s[1 : len(s)-1] }

func jsonEncoded(s string) string {
	data, _ := json.Marshal(s)
	return unquoted(string(data))
}

func unicodeEncoded(s string) (out string) {
	for _, unit := range utf16.Encode([]rune(s)) {
		out += fmt.Sprintf(`\u%04x`, unit)
	}
	return out
}

func htmlDigits(s string) (out string) {
	for _, c := range s {
		out += fmt.Sprintf("&#%d;", c)
	}
	return out
}

// shellBackslashes goes by bytes, as shells do: a secret need not be text.
func shellBackslashes(s string) string {
	var out []byte
	for i := range len(s) {
		c := s[i]
		if c < 0x80 && !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '\n') {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return string(out)
}
