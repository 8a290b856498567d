// Command graph-crash runs random state graphs, kills each before and after every write of its journal, resumes it, and
// compares how it ends with an uninterrupted run. It prints what it did, or the first graph that came out otherwise.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/ryeos/rye/internal/graphtest"
)

func main() {
	first := flag.Uint64("seed", 0, "the first graph")
	graphs := flag.Uint64("graphs", 1000, "how many graphs")
	flag.Parse()

	var total graphtest.Report
	for seed := *first; seed < *first+*graphs; seed++ {
		report, err := graphtest.CheckCrashes(seed)
		if err != nil {
			fmt.Fprintln(os.Stderr, "graph-crash:", err)
			os.Exit(1)
		}
		total.Kills += report.Kills
		total.Unknown += report.Unknown
	}
	fmt.Printf("%d graphs, %d kills: the same final state after each; %d times an effect was reported as unknown, none was repeated\n",
		*graphs, total.Kills, total.Unknown)
}
