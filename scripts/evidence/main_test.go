//go:build linux

package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
)

// built are the programs to measure; every group of figures shares them.
var built *binaries

// TestMain lets the test program be what the figures start as processes of their own, as main does.
func TestMain(m *testing.M) {
	agenttest.Main()
	if len(os.Args) > 1 && helpers[os.Args[1]] != nil {
		main()
		return
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "rye-evidence-")
	if err == nil {
		defer os.RemoveAll(dir)
		built, err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// try measures every figure of a group with its small count.
func try(t *testing.T, group []figure) {
	for _, f := range group {
		t.Run(f.name, func(t *testing.T) {
			row := f.measure(built, f.small)
			t.Log(row)
			if err := row.err(); err != nil {
				t.Error(err)
			}
		})
	}
}
