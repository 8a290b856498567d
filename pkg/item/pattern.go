package item

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: start-up is on the way to every tool run.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
