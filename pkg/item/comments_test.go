package item

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"testing"
)

func TestReadComments(t *testing.T) {
	tests := []struct {
		name, source string
		want         *Object
	}{
		{"empty", "", object()},
		{"shell", `#!/usr/bin/env bash
# rye:signed:v2:2026-01-01T00:00:00Z:abc:def:ghi
#
# Prints a greeting. name = whatever

# __version__ = "1.0.0"
#__executor_id__="rye/core/runtimes/bash/script"
#   CONFIG_SCHEMA = {"type": "object", "required": ["name"], "strict": true, 'x': None}
set -eu
# LATE = 1
`, object("__version__", "1.0.0", "__executor_id__", "rye/core/runtimes/bash/script", "CONFIG_SCHEMA",
			object("type", "object", "required", list("name"), "strict", true, "x", nil))},
		{"over several lines", `# CONFIG = {
#   "a": [1,
#
#         2],  # two

#   "b": False}
# verify_deps = {"enabled": false}
`, object("CONFIG", object("a", list(int64(1), int64(2)), "b", false), "verify_deps", object("enabled", false))},
		{"string over several lines", "# A = [\"\"\"one\n#   two\n#\n# \"\"\"]\r\n", object("A", list("one\n  two\n\n"))},
		{"Lua", "-- anchor = null\n  -- A = 'x'\nlocal A = 1\n", object("anchor", nil, "A", "x")},
		{"slashes", "// A = -1.5\r\n\r\n//B = true\r\n", object("A", -1.5, "B", true)},
		{"byte order mark", "\ufeff# A = 1\n", object("A", int64(1))},
		{"JSON escapes", `# A = "\/\ud83d\ude00\n"`, object("A", "/😀\n")},
		{"last wins", "# A = 1\n# B = 1\n# A = 2\n", object("A", int64(2), "B", int64(1))},
		{"prose", "# version = the first one\n# Version = x\n# A == b\n# a A = x\n# (A = 1)\n# __a = x\n## A = x\n", object()},
		{"use of variables", "# DEBUG=1 ./run.sh\n# HOME=$PWD x\n# NAME='a\n# LIST=( 1\n# N=2\n", object("N", int64(2))},
		{"code at once", "x = 1\n# A = 1\n", object()},
		{"not UTF-8 in the code", "# A = 1\nx\n\x00\xff\n", object("A", int64(1))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, err := readComments([]byte(test.source))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := marshal(t, doc.Values), marshal(t, test.want); got != want ||
				!reflect.DeepEqual(Plain(doc.Values), Plain(test.want)) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestReadCommentsPositions(t *testing.T) {
	doc, err := readComments([]byte("#!/bin/sh\r\n\r\n# ü\r\n  #  A = 1\r\n#B = [\r\n# 2]\r\n#C=   3\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]Position{"A": {4, 10}, "B": {5, 6}, "C": {7, 7}}; !maps.Equal(doc.Positions, want) {
		t.Errorf("got %v, want %v", doc.Positions, want)
	}
}

func TestReadCommentsErrors(t *testing.T) {
	tests := []struct {
		source       string
		line, column int
		message      string
	}{
		{"# __version__ = 1.0.0\n", 1, 20, "comma or an operator"},
		{"#!/bin/sh\n\n# __version__ = one\n", 3, 17, "the value of __version__ is not a literal"},
		{"# __version__=one\n", 1, 15, "is not a literal"},
		{"# A = \n", 1, 7, "a value is missing"},
		{"# A = 1 two\n", 1, 7, "is not a literal"},
		{"# A = 1; B = 2\n", 1, 7, "is not a literal"},
		{"# anchor = yes\n", 1, 12, "is not a literal"},
		{"# CONFIG={a}\n", 1, 10, "is not a literal"},
		{"#  CONFIG = {\"a\": [1,\n#   2 3]}\n", 2, 7, "comma"},
		{"  # CONFIG = {\"a\": 1\nx }\n", 1, 14, "'{' is never closed"},
		{"# A = 'abc\n", 1, 7, "not closed"},
		{"# A = f'{x}'\n", 1, 7, "is not a literal"},
		{"# \xff\n", 1, 3, "UTF-8"},
		{"\n-- A = \"\x00\"\n", 2, 9, "NUL"},
	}
	for _, test := range tests {
		doc, err := readComments([]byte(test.source))
		checkSyntaxError(t, test.source, doc, err, Position{test.line, test.column}, test.message)
	}
}

// FuzzComments checks the same as FuzzPython, that nothing below the first line of code counts, and that any JSON can
// be written as a constant over several comments.
func FuzzComments(f *testing.F) {
	for _, seed := range []string{
		"#!/bin/sh\n# __version__ = \"1.0\"\n# CONFIG = {\"a\": [1,\n#  true]}\necho\n",
		"-- anchor = null\n// A = '''x\n// y'''\n",
		"# DEBUG=1 ./run.sh\n# X = (",
		`{"a": [1, -2.5e3, "\u00e9\/\ud83d\ude00", null, {"": true}]}`,
		`[[], {}, "", 0, "é"]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := readComments(src)
		if isReadable(t, src, doc, err) {
			longer, err := readComments(append(append([]byte{}, src...), "\ncode\n# __late__ = x\n"...))
			if err != nil || !reflect.DeepEqual(doc, longer) {
				t.Fatalf("code at the end changes the document: %v, %v", longer, err)
			}
		}
		checkJSONComment(t, src)
	})
}

// checkJSONComment reads data back from a comment, if it is JSON that a Document can hold.
func checkJSONComment(t *testing.T, data []byte) {
	var value any
	if json.Unmarshal(data, &value) != nil {
		return
	}
	indented, err := json.MarshalIndent(map[string]any{"value": value}, "-- ", "  ")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := readComments(fmt.Appendf(nil, "-- CONFIG = %s\ncode", bytes.ToValidUTF8(indented, nil)))
	if err != nil {
		t.Fatalf("%s: %v", indented, err)
	}
	got, want := marshal(t, Plain(doc.Values.Object("CONFIG"))), marshal(t, map[string]any{"value": value})
	var gotValue, wantValue any
	if json.Unmarshal([]byte(got), &gotValue) != nil || json.Unmarshal([]byte(want), &wantValue) != nil ||
		!reflect.DeepEqual(gotValue, wantValue) {
		t.Fatalf("got %s, want %s", got, want)
	}
}
