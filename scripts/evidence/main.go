//go:build linux

// Command evidence measures what rye promises about runs that are killed, cut short or starved: nothing lost, nothing left
// behind. It works on the real binary, in a scratch home and project, unless a figure says otherwise, and writes
// docs/reliability.md. Each figure is a row of that table; the numbers R1, R2, … are names, not an order.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ryeos/rye/internal/agenttest"
)

func main() {
	agenttest.Main()
	if len(os.Args) > 1 && helpers[os.Args[1]] != nil { // this program again, as one of many processes
		if err := helpers[os.Args[1]](os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "evidence:", err)
			os.Exit(1)
		}
		return
	}
	only := flag.String("only", "", "comma-separated `names` of figures, such as R1,R4")
	small := flag.Bool("small", false, "counts that take a minute, not hours")
	out := flag.String("write", "", "merge the rows into this Markdown `file`")
	list := flag.Bool("list", false, "list the figures")
	flag.Parse()
	if err := run(*only, *small, *out, *list); err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(1)
	}
}

func run(only string, small bool, out string, list bool) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if list {
		for _, f := range chosen {
			fmt.Printf("%-4s %s\n", f.name, f.what)
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "rye-evidence-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := build(dir)
	if err != nil {
		return err
	}
	var rows []row
	var failed []error
	for _, f := range chosen {
		count := f.full
		if small {
			count = f.small
		}
		fmt.Printf("%s %s: %s …\n", time.Now().UTC().Format("15:04:05"), f.name, fmt.Sprintf(f.what, count))
		r := f.measure(b, count)
		fmt.Println(r)
		rows = append(rows, r)
		failed = append(failed, r.err())
		if out != "" {
			if err := merge(out, rows); err != nil {
				return err
			}
		}
	}
	return errors.Join(failed...)
}

func choose(only string) ([]figure, error) {
	if only == "" {
		return figures, nil
	}
	var chosen []figure
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(figures, func(f figure) bool { return f.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no figure %s; -list shows them", name)
		}
		chosen = append(chosen, figures[i])
	}
	return chosen, nil
}
