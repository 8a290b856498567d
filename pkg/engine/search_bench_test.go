package engine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
)

const searchedItems = 10_000

// later is a clock that runs ahead, so that no file seems to have just changed.
func later(o *engine.Options) {
	o.Now = func() time.Time { return time.Now().Add(time.Hour) }
}

// knowledge fills a world with entries of about 2 KB, of words as a language spreads them: few often, many seldom.
func knowledge(b *testing.B) *ryetest.World {
	b.Helper()
	w := ryetest.New(b)
	random := rand.New(rand.NewPCG(1, 2))
	often := rand.NewZipf(random, 1.1, 8, 20_000)
	for i := range searchedItems {
		var body strings.Builder
		for body.Len() < 2000 {
			fmt.Fprintf(&body, "w%05d ", often.Uint64())
		}
		id := fmt.Sprintf("area%02d/entry%05d", i%50, i)
		w.Project.Write(".ai/knowledge/"+id+".md", fmt.Sprintf(
			"```yaml\nname: entry%05d\ntitle: About w%05d\nversion: \"1.0.0\"\nentry_type: note\n```\n\n%s\n", i, often.Uint64(), body.String()))
	}
	return w
}

// BenchmarkSearch searches 10 000 knowledge entries of 2 KB on a warm disk; each engine is new, as in a process that has
// just started. The first case, which only reads the files, is there to compare with.
func BenchmarkSearch(b *testing.B) {
	w := knowledge(b)
	if _, err := w.Engine(later).Search(engine.SearchRequest{Query: "w00001"}); err != nil {
		b.Fatal(err)
	}
	b.Run("reading", func(b *testing.B) {
		for b.Loop() {
			for i := range searchedItems {
				if _, err := os.ReadFile(w.Project.Path(fmt.Sprintf(".ai/knowledge/area%02d/entry%05d.md", i%50, i))); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	for name, query := range map[string]string{
		"word": "w00417", "often": "w00001", "two": "w00012 w00417", "phrase": `"w00001 w00002"`, "part": "w0", "nearly": "w00417~",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				found, err := w.Engine(later).Search(engine.SearchRequest{Query: query, Limit: 20})
				if err != nil || found.Total == 0 {
					b.Fatal(err, found)
				}
			}
		})
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			w.Cache = b.TempDir()
			if _, err := w.Engine(later).Search(engine.SearchRequest{Query: "w00417", Limit: 20}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
