package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show REF",
		Short: "Show an item: signature, parameters, chain, what it shadows",
		Example: `  rye show tool:rye/bash
  rye show rye/file-system/read -o json`,
		Args:              one("a reference"),
		ValidArgsFunction: a.completeRefs(item.Kinds()...),
		RunE: func(_ *cobra.Command, args []string) error {
			eng, err := a.engine()
			if err != nil {
				return err
			}
			shown, err := eng.Show(args[0])
			if err != nil {
				return err
			}
			if a.format() != formatText {
				return a.print(shown)
			}
			a.showItem(shown)
			return nil
		},
	}
}

func (a *app) showItem(s *engine.Shown) {
	a.line("%s", strings.TrimSpace(a.paintOut(bold, safe(s.ItemID))+"  "+safe(s.Version)))
	if s.Description != "" {
		a.line("%s", safe(s.Description))
	}
	a.line("")
	a.line("space      %s", s.Space)
	a.line("file       %s", safe(s.Path))
	for _, path := range s.Shadowed {
		a.line("shadows    %s", safe(path))
	}
	if s.Signer != nil {
		a.line("signature  %s, %s by %s (%s)", s.State, s.Signer.Timestamp, s.Signer.Signer, safe(s.Signer.Owner))
	} else {
		a.line("signature  %s", a.paintOut(red, s.State))
		for _, hint := range s.Hints {
			a.line("           try: %s", safe(hint))
		}
	}
	if s.Anchor != "" {
		a.line("anchor     %s", safe(s.Anchor))
	}
	for i, el := range s.Chain {
		head := ""
		if i == 0 {
			head = "chain"
		}
		a.line("%-10s %s%s (%s, %s)", head, strings.Repeat("  ", i), safe(el.ID), el.Space, el.State)
	}
	if s.ChainError != "" {
		a.line("           %s", a.paintOut(red, safe(s.ChainError)))
	}
	a.showMetadata(s.Metadata)
	a.showAgent(s.Agent)
	for _, issue := range s.Issues {
		a.line("%s", a.paintOut(red, safe(issue)))
	}
	if len(s.Parameters) > 0 {
		a.line("")
		a.parameterTable(s.Parameters)
	}
	if len(s.Environment) > 0 {
		rows := make([][]string, len(s.Environment))
		for i, v := range s.Environment {
			rows[i] = []string{v.Name, v.SetBy, v.Value}
		}
		a.line("")
		a.table([]string{"VARIABLE", "SET BY", "VALUE"}, rows)
	}
	if s.Body != "" {
		a.line("\n%s", safeLines(s.Body))
	}
}

// showMetadata prints what has no line of its own yet.
func (a *app) showMetadata(metadata *item.Object) {
	for name, value := range metadata.All() {
		if name == "version" || name == "description" {
			continue
		}
		text, ok := value.(string)
		if encoded, err := item.AppendJSON(nil, value); !ok && err == nil {
			text = string(encoded)
		}
		a.line("%-10s %s", safe(name), safe(text))
	}
}

func (a *app) parameterTable(params []item.Parameter) {
	rows := make([][]string, len(params))
	for i, p := range params {
		need := ""
		switch {
		case p.Required:
			need = "required"
		case p.Default != nil:
			need = fmt.Sprintf("default %v", item.Plain(p.Default))
		}
		kind := p.Type
		if p.Items != "" {
			kind += " of " + p.Items
		}
		if len(p.Enum) > 0 {
			kind = strings.Trim(fmt.Sprint(p.Enum), "[]")
		}
		rows[i] = []string{"--" + strings.ReplaceAll(p.Name, "_", "-"), kind, need, p.Description}
	}
	a.table([]string{"PARAMETER", "TYPE", "", "DESCRIPTION"}, rows)
}

// showParameters is `rye execute REF --help`.
func (a *app) showParameters(eng *engine.Engine, call *engine.Call) error {
	shown, err := eng.Show(call.Ref().String())
	if err != nil {
		return err
	}
	if a.format() != formatText {
		return a.print(shown)
	}
	a.showItem(shown)
	return nil
}
