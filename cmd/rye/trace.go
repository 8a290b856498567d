package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/item"
)

func newTraceCommand(a *app) *cobra.Command {
	o := executeOptions{trace: true}
	cmd := &cobra.Command{
		Use:   "trace REF [--PARAMETER VALUE …]",
		Short: "Execute an item and explain every step",
		Long: `Execute an item and log every decision with its time: which file was found and what it shadows, who signed it, where each
variable of the environment comes from, the anchor, the dependencies, the command, its start and its end. With
--dry-run nothing is run. Tracing changes nothing else. Values of variables are never shown.

Flags and parameters are those of rye execute.`,
		Example: `  rye trace tool:rye/bash --command true
  rye trace --dry-run tool:rye/bash --command true -o json`,
	}
	o.bind(cmd, a)
	return cmd
}

// showTrace draws the steps on standard error: what is on standard output is the tool's.
func (a *app) showTrace(steps []*item.Object) {
	last := ""
	for _, step := range steps {
		name := step.String("step")
		label := name
		if name == last {
			label = ""
		}
		last = name
		took := ""
		if us, ok := step.Get("duration_us"); ok {
			took = fmt.Sprintf("%7.2f ms", float64(us.(int64))/1000)
		}
		fmt.Fprintf(a.stderr, "%s  %s %s\n", a.paint(dim, fmt.Sprintf("%10s", took)), a.paint(bold, fmt.Sprintf("%-16s", label)),
			safe(describeStep(step)))
		for _, detail := range stepDetails(step) {
			fmt.Fprintf(a.stderr, "%10s  %-16s   %s\n", "", "", safe(detail))
		}
	}
}

// manyNames is from where a list of variables says less than their number.
const manyNames = 12

// describeStep is one line about a step.
func describeStep(s *item.Object) string {
	get := func(key string) string {
		v, _ := s.Get(key)
		if v == nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	switch s.String("step") {
	case "resolve":
		if get("built_in") == "true" {
			return get("item_id") + "  built in"
		}
		return get("item_id") + "  " + get("space") + "  " + get("path")
	case "verify_integrity":
		switch {
		case get("built_in") == "true":
			return get("item_id") + "  built in"
		case get("waived_by") != "":
			return get("item_id") + "  " + get("reason") + ", waived by " + get("waived_by")
		case get("verified") != "true":
			return get("item_id") + "  " + get("reason")
		}
		return get("item_id") + "  signed by " + get("key_fp") + " (" + get("owner") + ")"
	case "resolve_env":
		if names := texts(s, "keys"); len(names) > manyNames {
			return fmt.Sprintf("%s: %d variables (-o json lists them)", get("contributed_by"), len(names))
		}
		return get("contributed_by") + ": " + strings.Join(texts(s, "keys"), " ")
	case "anchor":
		if get("active") != "true" {
			return "inactive"
		}
		return strings.TrimSpace(get("path") + "  " + get("runtime_lib"))
	case "verify_deps":
		return get("count") + " files, " + get("bytes") + " bytes"
	case "resolve_config":
		if layers := texts(s, "layers"); len(layers) > 0 {
			return strings.Join(layers, " < ")
		}
		return "none"
	case "plan":
		return get("program")
	case "spawn":
		return "pid " + get("pid")
	case "exit":
		line := "code " + get("exit_code")
		if get("signal") != "" {
			line = get("signal")
		}
		return line + ", " + get("stdout_bytes") + " + " + get("stderr_bytes") + " bytes of output"
	}
	return ""
}

// stepDetails are the lines below a step.
func stepDetails(s *item.Object) []string {
	var lines []string
	switch s.String("step") {
	case "resolve":
		shadowed, _ := s.Get("shadowed")
		list, _ := shadowed.([]any)
		for _, v := range list {
			lines = append(lines, "shadows "+v.(*item.Object).String("path"))
		}
	case "resolve_env":
		for _, text := range texts(s, "replaced") {
			lines = append(lines, "replaced: "+text)
		}
	case "plan":
		for i, arg := range texts(s, "argv") {
			lines = append(lines, fmt.Sprintf("[%d] %s", i, item.Quote(arg)))
		}
		timeout, _ := s.Get("timeout_s")
		stdin, _ := s.Get("stdin_bytes")
		lines = append(lines, "in "+s.String("cwd"), fmt.Sprintf("timeout %v s, set by %s", timeout, s.String("timeout_set_by")),
			fmt.Sprintf("%v bytes on standard input", stdin))
	}
	return lines
}

func texts(s *item.Object, key string) []string {
	v, _ := s.Get(key)
	list, _ := v.([]any)
	out := make([]string, len(list))
	for i, e := range list {
		out[i], _ = e.(string)
	}
	return out
}
