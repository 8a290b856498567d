package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// graphOptions are the flags of commands that run a graph, besides those of `rye execute`.
type graphOptions struct {
	executeOptions
	capabilities []string
	depth        int
	node         string
	state        string
	resume       string
}

func newGraphRun(a *app) *cobra.Command {
	o := &graphOptions{}
	cmd := &cobra.Command{
		Use:   "run REF [--PARAMETER VALUE …]",
		Short: "Run a graph from its start",
		Long: `Run a graph. It is what rye execute does, and answers with the same envelope; on a terminal the steps are told on standard
error as they happen, and the graph's output is on standard output.

With --async the run is detached: rye graph show REF --run ID tells how far it has come, rye threads wait ID waits for
it. A run that was stopped or killed can go on: rye graph resume.

Flags and parameters are those of rye execute. After REF, the flags of this command are the graph's if the graph itself
declares the name; everything after -- is the graph's.`,
		Example: `  rye graph run tool:flow/release --version 1.2.0
  rye graph run flow/release --async --params @inputs.json
  rye graph run flow/release --capabilities 'rye.execute.tool.rye.*'`,
	}
	o.bindGraph(cmd, a)
	fs := cmd.Flags()
	fs.StringArrayVar(&o.capabilities, "capabilities", nil, "what the run may do at most, a `capability`; repeat it for more (default: what the graph declares)")
	fs.IntVar(&o.depth, "depth", 0, "how deep threads may nest, a `number`")
	o.own = []string{"capabilities", "depth", "async"}
	return cmd
}

func newGraphStep(a *app) *cobra.Command {
	o := &graphOptions{}
	cmd := &cobra.Command{
		Use:   "step REF --node NODE [--PARAMETER VALUE …]",
		Short: "Execute one node of a graph",
		Long: `Execute one node of a graph and show the state after it and the node that would be next. The state is the graph's
initial one, changed by --state, or that of a run, which stays as it is.`,
		Example: `  rye graph step tool:flow/release --node build --state '{"version": "1.2.0"}'
  rye graph step tool:flow/release --node notify --resume flow-release-1795230933`,
	}
	o.bindGraph(cmd, a)
	fs := cmd.Flags()
	fs.StringVar(&o.node, "node", "", "the `node`")
	fs.StringVar(&o.state, "state", "", "the state to execute it on, a `JSON` object, @FILE, or - for standard input")
	fs.StringVar(&o.resume, "resume", "", "the `run` whose state to execute it on")
	fs.StringArrayVar(&o.capabilities, "capabilities", nil, "what the node may do at most, a `capability`; repeat it for more")
	o.own = []string{"node", "state", "resume", "capabilities"}
	if err := cmd.RegisterFlagCompletionFunc("node", a.completeNodes); err != nil {
		panic(err)
	}
	if err := cmd.RegisterFlagCompletionFunc("resume", a.completeRuns); err != nil {
		panic(err)
	}
	return cmd
}

// bindGraph is bind for a command that runs graphs alone.
func (o *graphOptions) bindGraph(cmd *cobra.Command, a *app) {
	o.bind(cmd, a)
	o.subject, o.prepare = "the reference of a graph", prepareGraph
	o.report = a.showGraphResult
	o.extend = func(params map[string]any) error { return o.addTo(a, cmd, params) }
	cmd.ValidArgsFunction = a.completeGraphCall
}

// addTo turns the flags into parameters of the run.
func (o *graphOptions) addTo(a *app, cmd *cobra.Command, params map[string]any) error {
	if len(o.capabilities) > 0 {
		list := make([]any, len(o.capabilities))
		for i, c := range o.capabilities {
			list[i] = c
		}
		params["capabilities"] = list
	}
	if cmd.Flags().Changed("depth") {
		params["depth"] = o.depth
	}
	if cmd.Name() != "step" {
		return nil
	}
	if o.node == "" {
		return item.Usagef("%s needs the node to execute", cmd.CommandPath()).Hint("--node NODE")
	}
	params["node"] = o.node
	switch {
	case o.state != "" && o.resume != "":
		return item.Usagef("--state and --resume exclude each other")
	case o.state == "-" && o.params == "-":
		return item.Usagef("--state and --params cannot both be read from standard input")
	case o.state != "":
		state, err := a.baseParameters(o.state)
		if err != nil {
			return fmt.Errorf("--state: %w", err)
		}
		params["inject_state"] = state
	case o.resume != "":
		run, err := a.graphRun(o.resume)
		if err != nil {
			return err
		}
		maps.Copy(params, map[string]any{"graph_run_id": run.ID, "resume": true})
	}
	return nil
}

func (a *app) graphRun(id string) (*engine.GraphRun, error) {
	eng, err := a.engine()
	if err != nil {
		return nil, err
	}
	return eng.FindGraphRun(context.Background(), id)
}

// graphResult is what a run answers with, as far as it is shown.
type graphResult struct {
	Success bool            `json:"success"`
	Status  string          `json:"status"`
	Output  json.RawMessage `json:"output"`
	State   json.RawMessage `json:"state"`
	Steps   int             `json:"steps"`
	RunID   string          `json:"graph_run_id"`
	Node    string          `json:"node"`

	Executed string  `json:"executed_node"`
	Next     *string `json:"next_node"`
	Errors   []struct {
		Node  string `json:"node"`
		Error string `json:"error"`
	} `json:"errors"`
	Unknown []struct {
		Step   int    `json:"step"`
		Node   string `json:"node"`
		Item   *int   `json:"item"`
		Action string `json:"action"`
	} `json:"unknown"`
}

// showGraphResult writes the output of a run to standard output, and how it went to standard error.
func (a *app) showGraphResult(resp *item.Response) bool {
	data, ok := resp.Data.(json.RawMessage)
	var r graphResult
	if !ok || json.Unmarshal(data, &r) != nil {
		return false
	}
	for _, e := range r.Errors {
		a.warn(fmt.Sprintf("%s: %s", safe(e.Node), safe(item.FirstLine(e.Error))))
	}
	for _, u := range r.Unknown {
		a.warn(fmt.Sprintf("step %d, %s: %s may have been executed, or not", u.Step, safe(u.Node), safe(u.Action)))
	}
	if resp.Failed() {
		a.printError(resp.Error, resp.Hints)
		return true
	}
	took := int64(0)
	if resp.Metadata != nil {
		took = resp.Metadata.DurationMS
	}
	if r.Executed != "" {
		next := "the graph would end"
		if r.Next != nil {
			next = "next: " + *r.Next
		}
		a.line("%s", readable(r.State))
		a.note("✓ %s %s in %d ms; %s", safe(resp.ItemID), safe(r.Executed), took, safe(next))
		return true
	}
	if output := readable(r.Output); output != "" && output != "{}" {
		a.line("%s", output)
	}
	a.note("✓ %s %s after %d steps in %d ms, run %s", safe(resp.ItemID), strings.ReplaceAll(r.Status, "_", " "), r.Steps, took, r.RunID)
	return true
}

// readable is a value as people read it: a text as it is, anything else as JSON in lines.
func readable(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return safeLines(strings.TrimSuffix(text, "\n"))
	}
	if len(value) == 0 || string(value) == "null" {
		return ""
	}
	return safeLines(indented(value))
}

// completeNodes offers the nodes of the graph that the command line names.
func (a *app) completeNodes(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		args = cmd.Flags().Args()
	}
	eng, err := a.engine()
	if err != nil || len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, name := range eng.GraphNodes(args[0]) {
		if strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeRuns offers the runs of the graph that the command line names, or all.
func (a *app) completeRuns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		args = cmd.Flags().Args()
	}
	ref := ""
	if len(args) > 0 {
		ref = args[0]
	}
	return a.graphRuns(typed, ref), cobra.ShellCompDirectiveNoFileComp
}
