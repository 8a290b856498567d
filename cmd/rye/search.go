package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

func newSearchCommand(a *app) *cobra.Command {
	var kind, in string
	var limit int
	cmd := &cobra.Command{
		Use:   "search QUERY …",
		Short: "Search items by what is written in them",
		Long: `Search the names, titles, descriptions, categories, tags and texts of items; of each file, the first 256 KiB. The
best matches come first. Searching verifies no signature: rye show says whether an item is signed.

QUERY
  state graph            both words, each also inside of a longer one
  state OR graph         either
  graph NOT (a OR b)     without others
  '"state graph"'        these words in this order; '"state graph"~3' with up to three others between
  'exec*'                words that begin so
  signatrue~             words that are nearly so
  title:graph            in name:, title:, description: or body: only
  kind:tool tag:safety category:rye/core space:user`,
		Example: `  rye search read file
  rye search --kind knowledge '"state graph"'
  rye search tag:safety NOT kind:tool`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return item.Usagef("%s needs something to search for", cmd.CommandPath()).Hint("rye list").Hint("%s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return runSearch(a, strings.Join(args, " "), kind, in, limit)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "only items of this `kind`: tool, directive, agent, knowledge or config")
	cmd.Flags().StringVar(&in, "space", "", "only items of this `space`, also those that another one shadows: project, user or system")
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "show this many `results`")
	completeValues(cmd, "kind", item.KindNames()...)
	completeValues(cmd, "space", "project", "user", "system")
	return cmd
}

func runSearch(a *app, query, kind, in string, limit int) error {
	if limit < 1 {
		return item.Usagef("--limit must be at least 1")
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	req, err := engine.NewSearchRequest(query, kind, in)
	if err != nil {
		return err
	}
	req.Limit = limit
	found, err := eng.Search(req)
	if err != nil {
		return err
	}
	if found.Unreadable > 0 {
		a.warn(fmt.Sprintf("%d of the files could not be read; rye list --all says why", found.Unreadable))
	}
	if a.format() != formatText {
		if err := a.print(found); err != nil {
			return err
		}
	} else if len(found.Results) > 0 {
		a.table([]string{"ITEM", "SPACE", "SCORE", "TEXT"}, a.searchRows(found.Results))
	}
	switch {
	case found.Total == 0:
		a.note("nothing matches; fewer words find more, and 'rye list' shows everything")
	case found.Total > len(found.Results):
		a.note("%d more; --limit %d shows all", found.Total-len(found.Results), found.Total)
	}
	return nil
}

// searchRows cuts the last column so that each result has one line of the terminal.
func (a *app) searchRows(hits []engine.SearchHit) [][]string {
	rows := make([][]string, len(hits))
	used := 0
	for i, hit := range hits {
		about := hit.Title
		if about == "" {
			about = hit.Description
		}
		if hit.Snippet != "" && about != "" {
			about += " · "
		}
		rows[i] = []string{hit.ItemID, string(hit.Space), strconv.FormatFloat(hit.Score, 'f', 2, 64), about + hit.Snippet}
		used = max(used, len(hit.ItemID))
	}
	if width, _, err := term.GetSize(int(a.stdout.Fd())); err == nil {
		const others = len("  project  SCORE  ")
		for _, row := range rows {
			row[3] = cutText(row[3], max(width-used-others, 30))
		}
	}
	return rows
}

func cutText(text string, size int) string {
	runes := []rune(text)
	if len(runes) <= size {
		return text
	}
	return string(runes[:size-1]) + "…"
}
