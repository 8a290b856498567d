package main

import (
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/item"
)

// showAgent prints what an agent's file defines: who takes part, what bounds it, by which prompts and models.
func (a *app) showAgent(defined *item.Object) {
	if kind := defined.String("type"); kind != "" {
		a.line("type       %s", strings.Join(append([]string{kind}, pairs(defined, "max_session_turns", "expose_as_tool")...), ", "))
	}
	for _, side := range []struct{ key, title string }{{"side_a", "side A"}, {"side_b", "side B"}} {
		if o := defined.Object(side.key); o != nil {
			a.line("%-10s %s", side.title, safe(strings.Join(pairs(o), ", ")))
		}
	}
	if limits := defined.Object("limits"); limits != nil {
		a.line("%-10s %s", "limits", strings.Join(pairs(limits), ", "))
	}
	if env := defined.Object("env"); env != nil {
		a.line("%-10s %s", "env", safe(strings.Join(pairs(env), ", ")))
	}
	a.definitionTable([]string{"PROMPT", "MODEL", "TOOLS", "DESCRIPTION"}, defined.Object("prompts"), func(p *item.Object) []string {
		return []string{p.String("model"), names(p, "tools"), p.String("description")}
	})
	a.definitionTable([]string{"MODEL", "PROVIDER", "ID", "FALLBACKS"}, defined.Object("models"), func(m *item.Object) []string {
		return []string{m.String("provider"), m.String("model"), names(m, "fallbacks")}
	})
}

// definitionTable prints one line for each of the named definitions.
func (a *app) definitionTable(head []string, defined *item.Object, cells func(*item.Object) []string) {
	if defined.Len() == 0 {
		return
	}
	var rows [][]string
	for name := range defined.All() {
		rows = append(rows, append([]string{name}, cells(defined.Object(name))...))
	}
	a.line("")
	a.table(head, rows)
}

// pairs are the keys that there are, all if none is named, each with its value.
func pairs(o *item.Object, only ...string) []string {
	wanted := map[string]bool{}
	for _, key := range only {
		wanted[key] = true
	}
	var list []string
	for key, value := range o.All() {
		if len(only) == 0 || wanted[key] {
			list = append(list, key+" "+nameOf(value))
		}
	}
	return list
}

// names is a list of definitions by their names alone.
func names(o *item.Object, key string) string {
	value, _ := o.Get(key)
	list, _ := value.([]any)
	var texts []string
	for _, e := range list {
		texts = append(texts, nameOf(e))
	}
	return strings.Join(texts, ", ")
}

// nameOf is a value, or the name in a mapping that has one.
func nameOf(value any) string {
	if o, ok := value.(*item.Object); ok {
		return o.String("name")
	}
	return fmt.Sprint(value)
}
