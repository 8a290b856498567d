//go:build linux

package main

import "github.com/ryeos/rye/internal/graphtest"

// graphFigures are the figures about state graphs.
var graphFigures = []figure{{
	name: "R21", what: "%d random state graphs, each killed before and after every write of its journal, resumed, killed again a few writes later, and resumed; the walker by itself, its journal in memory",
	must: "the result, the state and the step of the uninterrupted run; an effect that may have happened is not repeated unless its node says that it can be: the run names it and stops until it is told to go on",
	full: 1000, small: 20, run: killedGraphs,
}}

// killedGraphs takes the graphs of the seeds from 0 on: a seed that breaks something here breaks it again.
func killedGraphs(_ *binaries, graphs int) finding {
	r := newReport()
	share(graphs, func(n int) {
		did, err := graphtest.CheckCrashes(uint64(n))
		if err != nil {
			r.breakf("%v", err)
			return
		}
		r.count("kills", did.Kills)
		r.count("unknown", did.Unknown)
	})
	if r.counts["kills"] < 8*graphs || r.counts["unknown"] < graphs {
		r.breakf("too little happened to mean something: %v", r.counts)
	}
	return r.finding("%d kills: %d runs came to the same end by themselves, %d stopped because an effect may have happened, named it, and came to the same end when told to go on",
		r.counts["kills"], r.counts["kills"]-r.counts["unknown"], r.counts["unknown"])
}
