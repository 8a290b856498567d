//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// blocks is into how many parts a walk is cut, to see whether its later steps cost more.
const blocks = 10

// medians are those of the blocks of a walk.
func medians(times []time.Duration) []time.Duration {
	var list []time.Duration
	for block := range slices.Chunk(times, (len(times)+blocks-1)/blocks) {
		list = append(list, quantile(block, 50))
	}
	return list
}

// plot draws the median step of each block, the durable one with what the disk alone takes.
func plot(durable, inMemory *stopwatch) {
	steps, floors, walker := medians(durable.laps), medians(durable.beside), medians(inMemory.laps)
	last := len(steps) - 1
	fmt.Println("```text")
	fmt.Printf("%-10s%-53s%s\n", "", "durable (│ a bare append and fdatasync)", "in memory")
	longest, widest := slices.Max(slices.Concat(steps, floors)), slices.Max(walker)
	for i := range steps {
		fmt.Printf("tenth %2d  %-40s %9s   %-20s %9s\n", i+1,
			bar(steps[i], floors[i], longest, 40), us(steps[i]), bar(walker[i], 0, widest, 20), us(walker[i]))
	}
	fmt.Println("```")
	fmt.Printf("\nLast tenth / first tenth: durable %.2f, the bare append beside it %.2f, in memory %.2f.\n",
		ratio(steps[last], steps[0]), ratio(floors[last], floors[0]), ratio(walker[last], walker[0]))
}

// bar is as long as d is of most, with a mark where another value would end.
func bar(d, mark, most time.Duration, width int) string {
	cells := []rune(strings.Repeat("█", int(float64(width)*ratio(d, most))))
	for at := int(float64(width)*ratio(mark, most)) - 1; mark > 0 && at >= 0; at = -1 {
		for len(cells) <= at {
			cells = append(cells, ' ')
		}
		cells[at] = '│'
	}
	return string(cells)
}
