package template

import (
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// String is the condition in a few words, for people: `state.n > 3`.
func (c *Condition) String() string {
	if c == nil {
		return "always"
	}
	return c.text()
}

// signs stand for operators; the others are words themselves.
var signs = map[string]string{
	"eq": "=", "ne": "≠", "neq": "≠", "gt": ">", "gte": "≥", "lt": "<", "lte": "≤", "regex": "matches",
}

// comparisonText is a comparison in words. No path is the whole document.
func comparisonText(path, operator string, expected any) string {
	if path == "" {
		path = "everything"
	}
	if operator == "exists" {
		return path + " exists"
	}
	if sign := signs[operator]; sign != "" {
		operator = sign
	}
	value, err := item.AppendJSON(nil, expected)
	if err != nil {
		value = []byte("…")
	}
	return path + " " + operator + " " + string(value)
}

// joinedText puts a word between conditions. A list in a list has brackets.
func joinedText(parts []*Condition, word, empty string) string {
	if len(parts) == 0 {
		return empty
	}
	if len(parts) == 1 {
		return parts[0].String()
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		if texts[i] = part.String(); part != nil && part.list {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return strings.Join(texts, " "+word+" ")
}
