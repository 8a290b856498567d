package process

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

const (
	// tagKey is the environment variable that tells which run a process belongs to. Its value is a path: a run that is
	// started inside of another one is below it.
	tagKey = "RYE_RUN_ID"
	// detachedKey marks in the environment what Detach has started.
	detachedKey = "RYE_DETACHED"
	// maxTag bounds a tag: it is part of every environment, and a program that runs itself must fail for another reason
	// than an environment that has grown too large.
	maxTag = 1 << 10
	// maxProgramTag leaves room for the runs of a detached program.
	maxProgramTag = maxTag / 2
)

// ownTag is the run that this process is part of, or "".
var ownTag = os.Getenv(tagKey)

// EnterRun makes what this process runs from now on part of the run called name, too: KillRun finds it by that should this
// process be killed. It is for programs that do one thing, before the first Run. A slash in the name would make two.
func EnterRun(name string) { ownTag = below(ownTag, name) }

// newTag makes the tag of a run below outer: 16 more hex digits, which must be unique, not secret.
func newTag(outer string) string { return below(outer, fmt.Sprintf("%016x", rand.Uint64())) }

// below is a tag with one more name. At the bound the innermost names give way, so that every run further out still
// recognises what is below it.
func below(outer, name string) string {
	for len(outer)+1+len(name) > maxTag {
		outer = outer[:max(0, strings.LastIndexByte(outer, '/'))]
	}
	if outer == "" {
		return name
	}
	return outer + "/" + name
}

// within reports whether tag is that of the run outer or of a run below it.
func within(tag, outer string) bool {
	rest, ok := strings.CutPrefix(tag, outer)
	return ok && (rest == "" || rest[0] == '/')
}

// names reports whether a name stands anywhere in tag.
func names(tag, name string) bool { return strings.Contains("/"+tag+"/", "/"+name+"/") }

// taggedEnv is the environment of a run.
func taggedEnv(env []string, tag string) []string { return markedEnv(env, tagKey+"="+tag) }

// markedEnv is env with these marks in place of those that it has.
func markedEnv(env []string, marks ...string) []string {
	marked := make([]string, len(marks), len(env)+len(marks))
	copy(marked, marks)
	for _, kv := range env {
		if !strings.HasPrefix(kv, tagKey+"=") && !strings.HasPrefix(kv, detachedKey+"=") {
			marked = append(marked, kv)
		}
	}
	return marked
}
