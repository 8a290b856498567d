package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/hostile"
)

// arrival is what the program argv-json received: texts as lists of bytes.
type arrival struct {
	Args  [][]int `json:"args"`
	Stdin []int   `json:"stdin"`
}

func bytesOf(list []int) string {
	out := make([]byte, len(list))
	for i, b := range list {
		out[i] = byte(b)
	}
	return string(out)
}

// checkArrival passes text in both positions and requires that it arrives as it is, everywhere, and that nothing of it ran.
func (g *ground) checkArrival(text string) {
	g.Helper()
	out := g.rye("execute", "tool:echo/tool", "--text", text, "--command="+text)
	if out.code != 0 {
		g.Fatalf("%q: %+v", text, out)
	}
	var response struct{ Data arrival }
	if err := json.Unmarshal([]byte(out.stdout), &response); err != nil {
		g.Fatalf("%q: %v", text, err)
	}
	want := []string{text, "-c", text, "<" + text + ">"}
	for i, arg := range response.Data.Args {
		if got := bytesOf(arg); i >= len(want) || got != want[i] {
			g.Fatalf("argument %d is %q, want %q", i, got, want)
		}
	}
	stdin := bytesOf(response.Data.Stdin)
	if object := plainJSON(g, stdin); len(response.Data.Args) != len(want) || object["text"] != text || object["command"] != text {
		g.Fatalf("%q arrived on standard input as %q", text, stdin)
	}
	g.checkMarker()
}

// plainJSON reads an object of strings and leaves bytes that are no UTF-8 as they are, which encoding/json does not: it
// reads a text in which every such byte is a private-use character.
func plainJSON(t testing.TB, text string) map[string]string {
	t.Helper()
	const private = 0xf700
	var readable strings.Builder
	for i := range len(text) {
		if b := text[i]; b < 0x80 {
			readable.WriteByte(b)
		} else {
			readable.WriteRune(private + rune(b))
		}
	}
	var object map[string]string
	if err := json.Unmarshal([]byte(readable.String()), &object); err != nil {
		t.Fatalf("%q is no JSON object: %v", text, err)
	}
	for name, value := range object {
		var original []byte
		for _, r := range value {
			if r > private && r <= private+0xff {
				original = append(original, byte(r-private))
			} else {
				original = append(original, string(r)...)
			}
		}
		object[name] = string(original)
	}
	return object
}

func TestParametersArriveByteForByte(t *testing.T) {
	g := newGround(t)
	g.echo()
	g.write("file", "not this")
	for _, text := range hostile.Texts {
		g.checkArrival(text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for range rounds {
		g.checkArrival(randomText(random))
	}
}

// randomText joins hostile texts and random bytes but NUL, which no argument can hold.
func randomText(random *rand.Rand) string {
	var text strings.Builder
	for range 1 + random.IntN(6) {
		piece := hostile.Texts[random.IntN(len(hostile.Texts)-1)]
		text.WriteString(piece)
		for range random.IntN(4) {
			text.WriteByte(byte(1 + random.IntN(255)))
		}
	}
	return text.String()
}

func FuzzParametersArriveByteForByte(f *testing.F) {
	for _, text := range hostile.Texts[:len(hostile.Texts)-1] {
		f.Add(text)
	}
	g := newGround(f)
	g.echo()
	f.Fuzz(func(t *testing.T, text string) {
		if strings.IndexByte(text, 0) >= 0 || len(text) > 100<<10 {
			t.Skip("no argument of a program can be like that")
		}
		(&ground{t, g.project, g.home}).checkArrival(text)
	})
}

// What --params reads arrives as well: through a file, with NUL, and larger than any argument may be.
func TestParametersOfAnySize(t *testing.T) {
	g := newGround(t)
	g.write(".ai/tools/big.sh", `# __version__ = "1.0.0"
# __tool_type__ = "bash"
# __executor_id__ = "rye/core/runtimes/bash/bash"
# __category__ = ""
# __tool_description__ = "Digests its standard input"
sha256sum
`)
	g.sign()
	value := strings.Repeat("0123456789abcde\n", 10<<20/16)
	params, err := json.Marshal(map[string]string{"text": value})
	if err != nil {
		t.Fatal(err)
	}
	g.write("params.json", string(params))
	want := fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSpace(params)))

	out := g.rye("execute", "tool:big", "--params", "@"+filepath.Join(g.project, "params.json"))
	if out.code != 0 || !strings.Contains(out.stdout, want) {
		t.Errorf("a file of 10 MB: digest %s is not in %+v", want, out)
	}
	cmd := g.command("execute", "tool:big", "--params", "-")
	cmd.Stdin = bytes.NewReader(params)
	if out := g.run(cmd); out.code != 0 || !strings.Contains(out.stdout, want) {
		t.Errorf("standard input of 10 MB: digest %s is not in %+v", want, out)
	}
}

// JSON is UTF-8. A decoder that replaced other bytes would make a different value, or name a different file.
func TestBytesThatAreNoTextAreNotReplaced(t *testing.T) {
	g := newGround(t)
	g.echo()
	g.write("params.json", "{\"text\": \"a\xffb\", \"command\": \"\"}")
	out := g.rye("execute", "tool:echo/tool", "--params", "@params.json")
	if doc := g.document(out); out.code != exitUsage || !strings.Contains(doc["error"].(string), "not UTF-8") || doc["hints"] == nil {
		t.Errorf("left with %d and %v", out.code, doc)
	}
	for _, half := range []string{`\ud800`, `x\udcff`, `\ud83d \ude00`} {
		out := g.rye("execute", "tool:echo/tool", "--params", `{"command": "", "text": "`+half+`"}`)
		if doc := g.document(out); out.code != exitUsage || !strings.Contains(doc["error"].(string), "surrogate pair") {
			t.Errorf("%s: left with %d and %v", half, out.code, doc)
		}
	}
	out = g.rye("execute", "tool:rye/file-system/write", "--path", "a\xffb", "--content", "x")
	if doc := g.document(out); out.code != exitFailed || !strings.Contains(doc["error"].(string), "not UTF-8") {
		t.Errorf("left with %d and %v", out.code, doc)
	}
	if exists(filepath.Join(g.project, "a\ufffdb")) {
		t.Error("another file was written")
	}
}

// A NUL byte can stand in JSON, not in an argument.
func TestNULIsRefusedWhereItCannotGo(t *testing.T) {
	g := newGround(t)
	g.echo()
	out := g.rye("execute", "tool:echo/tool", "--params", `{"text": "a\u0000b", "command": ""}`)
	doc := g.document(out)
	if out.code != exitUsage || !strings.Contains(doc["error"].(string), "NUL") {
		t.Errorf("left with %d and %v", out.code, doc)
	}
}

// The property of template.Shell, through the program and the shells that people have: every text is a value in a script
// that rye fills, and each arrives byte for byte.
func TestShellsReceiveTexts(t *testing.T) {
	texts := hostile.Texts[:len(hostile.Texts)-1]
	script, properties := "", ""
	var args []string
	for i, text := range texts {
		name := fmt.Sprintf("t%d", i)
		script += fmt.Sprintf(`printf '%%s\\0%%s\\0%%s\\0' {%s} "{%s}" '{%s}'; `, name, name, name)
		properties += "    " + name + ": {type: string}\n"
		args = append(args, "--"+name+"="+text)
	}
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "ksh"} {
		path, err := exec.LookPath(shell)
		if err != nil && shell != "sh" && shell != "bash" {
			continue // one that this machine does not have proves nothing
		}
		t.Run(shell, func(t *testing.T) {
			g := newGround(t)
			g.write(".ai/tools/texts.yaml", fmt.Sprintf(`version: "1.0.0"
tool_type: shell
executor_id: rye/core/primitives/execute
category: ""
description: "Prints its parameters"
config: {command: %q, args: ["-c", "%s"], result: text}
config_schema:
  type: object
  properties:
%s`, path, strings.ReplaceAll(script, `"`, `\"`), properties))
			g.sign()
			out := g.rye(append([]string{"-o", "text", "execute", "tool:texts"}, args...)...)
			got := strings.Split(strings.TrimSuffix(out.stdout, "\x00"), "\x00")
			for i, value := range got {
				if i/3 >= len(texts) || value != texts[i/3] {
					t.Fatalf("%q arrived as %q", texts[min(i/3, len(texts)-1)], value)
				}
			}
			if len(got) != 3*len(texts) || out.code != exitOK {
				t.Errorf("%d of %d texts arrived: %d %s", len(got), 3*len(texts), out.code, out.stderr)
			}
			g.checkMarker()
		})
	}
}
