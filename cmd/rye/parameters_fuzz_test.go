package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/ryeos/rye/internal/hostile"
	"github.com/ryeos/rye/pkg/item"
)

// mappingOf maps words for a tool that declares parameters of several types, beside some of rye's own flags.
func mappingOf(t testing.TB, words []string) (*mapping, error) {
	t.Helper()
	meta, err := item.ParseMetadata(item.Tool, "x.yaml", []byte(`config_schema:
  type: object
  properties:
    text: {type: string}
    count: {type: integer}
    deep: {type: boolean}
    list: {type: array, items: {type: string}}
    map: {type: object}
    timeout: {type: string}
`))
	if err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("execute", pflag.ContinueOnError)
	new(globalFlags).add(flags)
	flags.Duration("timeout", time.Minute, "")
	m := &mapping{meta: meta, flags: flags, given: map[string]any{}}
	return m, m.read(words)
}

// FuzzParameterMapping: whatever words come first, a text for a declared parameter arrives as it is, in each of the ways
// to write it; what is no parameter is a usage error; and a name that the tool declares never sets a flag of rye's.
func FuzzParameterMapping(f *testing.F) {
	for _, text := range hostile.Texts[:len(hostile.Texts)-1] {
		f.Add("", text)
		f.Add(text+"\x00--count\x001", "x")
	}
	f.Add("--list\x00a\x00--list=[\"b\"]\x00--no-deep\x00--map\x00{\"a\":1}", "--")
	f.Add("--timeout\x001h\x00--\x00--output", "text")
	f.Fuzz(func(t *testing.T, before, text string) {
		var words []string
		if before != "" {
			words = strings.Split(before, "\x00")
		}
		first, err := mappingOf(t, words)
		if err != nil {
			if item.TypeOf(err) != item.TypeUsage {
				t.Fatalf("%q: %v", words, err)
			}
			return
		}
		if first.flags.Changed("timeout") {
			t.Fatalf("%q set a flag whose name the tool declares", words)
		}
		if _, given := first.given["text"]; given || len(words) > 0 && strings.HasPrefix(words[len(words)-1], "--") {
			return // the first value of --text is not ours, or the last word would take our next as its value
		}
		for _, ours := range [][]string{{"--text=" + text}, {"--text", text}} {
			m, err := mappingOf(t, append(words[:len(words):len(words)], ours...))
			if err != nil || !reflect.DeepEqual(m.given["text"], text) {
				t.Fatalf("%q after %q arrived as %#v: %v", ours, words, m.given["text"], err)
			}
		}
	})
}
