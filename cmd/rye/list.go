package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newListCommand(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list [KIND] [QUERY …]",
		Short: "List items: what there is, where, and whether it is signed",
		Long: `List the items of the project, user and system spaces. KIND is tool, directive, agent, knowledge or config; every
word of QUERY must occur in an item's id or description. Runtimes, and copies that another space shadows, are listed with --all.`,
		Example: `  rye list
  rye list tool file
  rye list --all`,
		ValidArgs: item.KindNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			req := engine.ListRequest{All: all}
			if len(args) > 0 {
				if kind, err := item.ParseKind(args[0]); err == nil {
					req.Kind, args = kind, args[1:]
				}
			}
			req.Query = strings.Join(args, " ")
			return runList(a, req)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also runtimes and shadowed copies")
	return cmd
}

func runList(a *app, req engine.ListRequest) error {
	eng, err := a.engine()
	if err != nil {
		return err
	}
	items, err := eng.List(req)
	if err != nil {
		return err
	}
	if a.format() != formatText {
		if items == nil {
			items = []engine.Listed{}
		}
		return a.print(map[string]any{"items": items, "total": len(items)})
	}
	if len(items) == 0 {
		a.note("nothing matches; 'rye list' shows everything%s", nearKind(req))
		return nil
	}
	rows := make([][]string, len(items))
	for i, it := range items {
		state := string(it.Signature)
		if it.ShadowedBy != "" {
			state = "shadowed"
		}
		rows[i] = []string{it.ItemID, string(it.Space), state, it.Description}
	}
	a.table([]string{"ITEM", "SPACE", "SIGNATURE", "DESCRIPTION"}, rows)
	return nil
}

// nearKind is a hint for a query that is a misspelt kind.
func nearKind(req engine.ListRequest) string {
	if near := item.Suggest(req.Query, item.KindNames()); req.Kind == "" && near != "" {
		return ", 'rye list " + near + "' every " + near
	}
	return ""
}

// table prints columns as wide as their widest cell, under a heading.
func (a *app) table(head []string, rows [][]string) { a.printLines(tableLines(head, rows)) }

// printLines prints a table.
func (a *app) printLines(table []string) {
	for i, line := range table {
		if i == 0 {
			line = a.paintOut(bold, line)
		}
		a.line("%s", line)
	}
}

func tableLines(head []string, rows [][]string) []string {
	var lines []string
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(safe(cell)))
		}
	}
	for _, row := range append([][]string{head}, rows...) {
		var line strings.Builder
		for i, cell := range row {
			cell = safe(cell)
			if i == len(row)-1 {
				line.WriteString(cell)
				continue
			}
			fmt.Fprintf(&line, "%s%s  ", cell, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}
