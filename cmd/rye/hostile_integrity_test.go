package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/hostile"
)

// corpus is one signed file of each sort. Every tool would make the marker.
var corpus = map[string]struct{ ref, content string }{
	".ai/tools/c/py.py": {"tool:c/py", `#!/usr/bin/env python3
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/script"
__category__ = "c"
__tool_description__ = "Leaves a mark"
open("pwned", "w").close()
`},
	".ai/tools/c/sh.sh": {"tool:c/sh", `#!/usr/bin/env bash
# __version__ = "1.0.0"
# __tool_type__ = "bash"
# __executor_id__ = "rye/core/runtimes/bash/bash"
# __category__ = "c"
# __tool_description__ = "Leaves a mark"
touch pwned
`},
	".ai/tools/c/js.js": {"tool:c/js", `#!/usr/bin/env node
const __version__ = "1.0.0";
const __tool_type__ = "javascript";
const __executor_id__ = "rye/core/runtimes/node/node";
const __category__ = "c";
const __tool_description__ = "Leaves a mark";
require("fs").writeFileSync("pwned", "");
`},
	".ai/tools/c/yaml.yaml": {"tool:c/yaml", `version: "1.0.0"
tool_type: bash
executor_id: rye/core/runtimes/bash/bash
category: c
description: "Leaves a mark"
config: {args: ["-c", "touch pwned"]}
`},
	".ai/tools/c/json.json": {"tool:c/json", `{"version": "1.0.0", "tool_type": "bash", "category": "c", "description": "Leaves a mark",
 "executor_id": "rye/core/runtimes/bash/bash", "config": {"args": ["-c", "touch pwned"]}}
`},
	".ai/knowledge/c/md.md": {"knowledge:c/md",
		"```yaml\nname: md\ntitle: Words\nentry_type: note\ncategory: c\nversion: \"1.0.0\"\n```\n\nWords.\n"},
}

func TestAlteredFilesAreRefused(t *testing.T) {
	g := newGround(t)
	for name, file := range corpus {
		g.write(name, file.content)
	}
	g.sign()
	for name, file := range corpus {
		for attack, a := range hostile.LineAttacks {
			t.Run(filepath.Base(name)+"/"+attack, func(t *testing.T) {
				carrier, want := name, a.Want
				if strings.HasSuffix(name, ".json") {
					carrier, want = name+".rye-sig", cmp.Or(a.Detached, a.Want)
				}
				g.refuses(t, carrier, file.ref, a.Change, want)
			})
		}
		for attack, change := range hostile.ContentAttacks {
			t.Run(filepath.Base(name)+"/"+attack, func(t *testing.T) {
				if strings.HasSuffix(name, ".json") {
					change = func(hostile.SignedFile) string { return file.content + " " }
				}
				g.refuses(t, name, file.ref, change, "Content modified since signing")
			})
		}
	}
	g.runsAsSigned(t)
}

// runsAsSigned is the control: untouched, every file verifies and every tool does leave its mark.
func (g *ground) runsAsSigned(t *testing.T) {
	if out := g.rye("verify"); out.code != 0 {
		t.Errorf("verify: %+v", out)
	}
	for _, file := range corpus {
		if !strings.HasPrefix(file.ref, "tool:") {
			continue
		}
		out := g.rye("execute", file.ref)
		if err := os.Remove(g.marker()); out.code != 0 || err != nil {
			t.Errorf("%s: %+v, %v", file.ref, out, err)
		}
	}
}

// refuses changes one file, requires that rye neither verifies nor runs the item, and puts the file back.
func (g *ground) refuses(t *testing.T, name, ref string, change func(hostile.SignedFile) string, want string) {
	file := filepath.Join(g.project, filepath.FromSlash(name))
	original, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g.write(name, change(hostile.TakeApart(original)))
	defer g.write(name, string(original))

	report := g.document(g.rye("verify", ref))
	result := report["results"].([]any)[0].(map[string]any)
	if result["state"] != "failed" || result["error_type"] != "integrity" || !strings.HasPrefix(result["error"].(string), want) {
		t.Errorf("verify: %v, want %q", result, want)
	}
	if !strings.HasPrefix(ref, "tool:") {
		return
	}
	out := g.rye("execute", ref)
	doc := g.document(out)
	message, _ := doc["error"].(string)
	if out.code != exitIntegrity || doc["error_type"] != "integrity" || !strings.HasPrefix(message, want) || doc["hints"] == nil {
		t.Errorf("execute left with %d and %v, want %d and %q with a hint", out.code, doc, exitIntegrity, want)
	}
	g.checkMarker()
}

// A bit is flipped in bytes all over a signed file. Nothing may pass, and nothing may be taken for an internal error.
func TestFlippedBitsAreRefused(t *testing.T) {
	g := newGround(t)
	file := g.write(".ai/tools/c/yaml.yaml", corpus[".ai/tools/c/yaml.yaml"].content)
	g.sign()
	original, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	step := 5
	if testing.Short() {
		step = 23
	}
	for i := 0; i < len(original); i += step {
		changed := bytes.Clone(original)
		changed[i] ^= 1
		g.write(".ai/tools/c/yaml.yaml", string(changed))
		if out := g.rye("execute", "tool:c/yaml"); out.code != exitIntegrity {
			t.Fatalf("byte %d, %q made %q: %+v", i, original[i], changed[i], out)
		}
	}
	g.checkMarker()
}
