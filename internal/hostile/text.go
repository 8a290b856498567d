package hostile

import "strings"

// Texts are values that a template, a shell, a flag parser or a JSON encoder could take for something else. Whatever in
// them is run as code makes the file "pwned". The last one is the longest.
var Texts = []string{
	"", " ", "\t", "\n", "a\nb", "a\r\nb", "trailing\n", "'", `"`, "`", `\`, `\n`, `'"'"'`, "it's",
	"${HOME}", "$HOME", "${HOME:-x}", "${PATH", "{project_path}", "{params_json}", "{command}", "{text}", "{{text}}", "{", "}",
	"$(touch pwned)", "`touch pwned`", "; touch pwned", "| touch pwned", "&& touch pwned", "\ntouch pwned\n",
	"'; touch pwned; '", `"; touch pwned; "`, "$((1+1))", "*", "~", "!!", "%s%n", "#",
	"-", "--", "-rf", "--help", "--project-path=/", "--output", "-o", "-c", "--no-text", "=", "a=b", "--text=x",
	"@file", "@/etc/passwd", "-p", "true", "null", "1e400", "[1]", `{"a":1}`,
	"\u00e9", "e\u0301", "日本", "🙂", "\u202e", "\ufeff", "\u2028", "\x1b[31m", "\x7f", "\x01",
	"\xff", "\xc3", "\xed\xa0\x80", "a\x80b", "\xf0\x9f", "\xc0\xaf",
	strings.Repeat("x", 100<<10),
}

// Names are names of files and folders that a shell would run, a flag parser would obey, or a terminal would hide.
var Names = []string{
	"$(touch pwned)", "`touch pwned`", "; touch pwned;", "a b", "-rf", "--help", "*", "%s", "quote'\"", "back\\slash", "~", "#",
	"new\nline", "tab\there", "bell\a", "\x1b[31mred", "\x1b]8;;https:evil\x1b\\", "\x1b[2J", "\u202egpj.exe", "zero\u200bwidth",
	"\ufeffmark", "\u2028line", "colon:tool", "{project_path}", "${HOME}", "=x", "@file", "dots..", " ", "CON",
}

// Twins are pairs of names that some file system, keyboard or reader takes for one.
var Twins = map[string][2]string{
	"case":             {"Deploy", "deploy"},
	"Turkish i":        {"list", "l\u0131st"},
	"NFC and NFD":      {"caf\u00e9", "cafe\u0301"},
	"ligature":         {"fi", "\ufb01"},
	"Cyrillic a":       {"paypal", "p\u0430yp\u0430l"},
	"full width":       {"run", "\uff52\uff55\uff4e"},
	"Kelvin sign":      {"k", "\u212a"},
	"no-break space":   {"a b", "a\u00a0b"},
	"final sharp s":    {"strasse", "stra\u00dfe"},
	"trailing dot":     {"tool", "tool."},
	"trailing space":   {"tool", "tool "},
	"digit for letter": {"tool", "t00l"},
}
