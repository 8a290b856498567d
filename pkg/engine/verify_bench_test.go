package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
)

// BenchmarkVerifyAll verifies signed tools of 4 KB; one op is one item.
func BenchmarkVerifyAll(b *testing.B) {
	const items = 1000
	w := ryetest.New(b)
	body := "# __executor_id__ = \"rye/core/runtimes/bash/bash\"\n" + strings.Repeat("echo 0123456789 0123456789 0123456789 0123456789\n", 80)
	for i := range items {
		w.Project.Tool(fmt.Sprintf("many/t%04d.sh", i), body)
	}
	e := w.Engine()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		report, err := e.Verify(engine.VerifyRequest{All: true})
		if err != nil || report.Failed > 0 {
			b.Fatal(err, report.Summary)
		}
	}
	b.ReportMetric(float64(b.N*items)/b.Elapsed().Seconds(), "items/s")
}
