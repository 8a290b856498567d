package engine

import (
	"maps"

	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/process"
)

// walkerGrace is how long a walker that is to end has for ending what it runs, which takes the default grace, and for writing
// down how far it came. Walkers of graphs within graphs need it at the same time.
const walkerGrace = 5 * process.DefaultGrace

// detachedBy turns the parameter async of a graph into an asynchronous request: both mean the same.
func (c *Call) detachedBy(params map[string]any) map[string]any {
	if params["async"] != true || !isGraph(c.chain) || c.chain.Tool().Meta.Declares("async") {
		return params
	}
	params = maps.Clone(params)
	delete(params, "async")
	c.request.Async = true
	return params
}

// launchedGraph is what the response to an asynchronous request says of a graph (spec/rye-agent §3.7).
type launchedGraph struct {
	Success bool   `json:"success"`
	RunID   string `json:"graph_run_id"`
	GraphID string `json:"graph_id"`
	Status  string `json:"status"`
}

// reserveGraphRun gives a run that is to be detached its id, so that it can be told at once. It returns the parameters with
// it. For what is no graph there is nothing to do.
func (c *Call) reserveGraphRun(params map[string]any) (map[string]any, any, error) {
	if !isGraph(c.chain) {
		return params, nil, nil
	}
	tool := c.chain.Tool()
	g, err := graph.Parse(tool.Place.Display(), tool.Source())
	if err != nil {
		return nil, nil, err
	}
	in, err := g.Invoke(params)
	if err != nil || in.Validate {
		return params, nil, err
	}
	root, err := c.engine.openState(graphsDir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	id, err := c.engine.reserveRun(root, g, in)
	if err != nil {
		return nil, nil, err
	}
	params = maps.Clone(params)
	if params == nil {
		params = map[string]any{}
	}
	params["graph_run_id"] = id
	return params, launchedGraph{true, id, g.ID, "running"}, nil
}
