package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// forEach does work(i) for 0 ≤ i < n on all cores and reports progress after each.
func forEach(n int, progress func(done, total int), work func(i int)) {
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				work(int(i))
				if finished := done.Add(1); progress != nil {
					progress(int(finished), n)
				}
			}
		})
	}
	wg.Wait()
}
