package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/ryeos/rye/pkg/item"
)

// The output formats.
const (
	formatText = "text"
	formatJSON = "json"
	formatYAML = "yaml"
)

// format resolves --output, the preference and "auto".
func (a *app) format() string {
	switch chosen := a.chosenOutput(); chosen {
	case formatText, formatJSON, formatYAML:
		return chosen
	}
	if isTerminal(a.stdout) {
		return formatText
	}
	return formatJSON
}

func (a *app) chosenOutput() string {
	if a.flags.output != "" {
		return a.flags.output
	}
	cfg, err := a.preferences()
	if err != nil {
		return ""
	}
	return cfg.output
}

// checkOutput refuses a format that does not exist, in the flag or in the preferences.
func (a *app) checkOutput() error {
	out := a.flags.output
	switch {
	case out == "":
		_, err := a.preferences()
		return err
	case isFormat(out):
		return nil
	}
	a.flags.output = ""
	return item.Usagef("unknown output format %s: use auto, text, json or yaml", item.Quote(out))
}

func isFormat(name string) bool {
	switch name {
	case "", "auto", formatText, formatJSON, formatYAML:
		return true
	}
	return false
}

// streamFormat is for commands that write as things happen: text, also in a pipe, or JSON lines if asked for.
func (a *app) streamFormat(command string) error {
	switch a.flags.output {
	case formatJSON:
		return nil
	case formatYAML:
		return item.Usagef("rye %s writes text or JSON lines", command).Hint("rye %s -o json", command)
	}
	a.flags.output = formatText // errors, too
	return nil
}

// print writes one document to standard output, as JSON or YAML.
func (a *app) print(v any) error {
	if a.format() == formatYAML {
		return a.printYAML(v)
	}
	if resp, ok := v.(*item.Response); ok && !isTerminal(a.stdout) {
		return lost(resp.WriteJSON(a.stdout))
	}
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	if isTerminal(a.stdout) {
		enc.SetIndent("", "  ")
	}
	return lost(enc.Encode(v))
}

// lost is the error for output that could not be written: a success that nobody can read is none.
func lost(err error) error {
	if err == nil {
		return nil
	}
	return item.Errorf(item.TypeUnavailable, "cannot write the output: %w", err)
}

// printYAML goes through JSON, so that both formats have the same fields in the same order.
func (a *app) printYAML(v any) error {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(doc.Bytes(), &node); err != nil {
		return err
	}
	blockStyle(&node)
	out := yaml.NewEncoder(a.stdout)
	out.SetIndent(2)
	if err := out.Encode(&node); err != nil {
		return lost(err)
	}
	return lost(out.Close())
}

// blockStyle makes the flow style of JSON into lines, and takes the quotes off strings that are clear without them.
func blockStyle(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		var plain yaml.Node
		if plain.Encode(n.Value) == nil && plain.Tag == n.Tag {
			n.Style = plain.Style
		}
	}
	for _, child := range n.Content {
		blockStyle(child)
	}
}

// line writes one line of text output.
func (a *app) line(format string, args ...any) {
	if _, err := fmt.Fprintf(a.stdout, format+"\n", args...); err != nil && a.unwritten == nil {
		a.unwritten = err
	}
}

// note writes one dim line for people, on standard error.
func (a *app) note(format string, args ...any) {
	if !a.flags.quiet {
		fmt.Fprintln(a.stderr, a.paint(dim, fmt.Sprintf(format, args...)))
	}
}
