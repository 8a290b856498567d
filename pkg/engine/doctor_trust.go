package engine

import (
	"context"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// checkKey looks at the signing key: there, the user's alone, trusted.
func (e *Engine) checkKey(context.Context) []Check {
	const name = "signing key"
	key, err := integrity.LoadKey(e.options.KeyDir)
	switch {
	case err != nil && item.TypeOf(err) == item.TypeNotFound:
		return []Check{warned(name, "rye keys generate", "there is none: you can run what others signed, and sign nothing")}
	case err != nil:
		return []Check{broken(name, firstHint(err), "%s", item.FirstLine(err.Error()))}
	}
	fingerprint := key.Public().Fingerprint()
	checks := []Check{passed(name, "%s in %s", fingerprint, e.options.KeyDir)}
	if _, err := e.trust.Lookup(fingerprint); err != nil {
		checks[0] = broken(name, "rye keys trust", "%s is not trusted: what it signs does not run", fingerprint)
	}
	if info, err := os.Stat(e.options.KeyDir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		checks = append(checks, warned("signing key folder", "chmod 700 "+item.ShellWord(e.options.KeyDir),
			"%s has mode %04o: others can see into it", e.options.KeyDir, info.Mode().Perm()))
	}
	return checks
}

func firstHint(err error) string {
	if hints := item.HintsOf(err); len(hints) > 0 {
		return hints[0]
	}
	return ""
}

// checkTrust says which key documents do not count.
func (e *Engine) checkTrust(context.Context) []Check {
	keys, ignored := e.trust.List()
	checks := []Check{passed("trusted keys", "%d", len(keys))}
	for _, i := range ignored {
		checks = append(checks, warned("trusted keys", i.Fix, "%s does not count: %s", i.File, i.Reason))
	}
	return checks
}

// maxDoctorItems bounds the files that a look at the signatures takes.
const maxDoctorItems = 2000

// checkItems verifies every space, and says what signs what does not verify.
func (e *Engine) checkItems(context.Context) []Check {
	var checks []Check
	for _, s := range e.spaces {
		checks = append(checks, e.checkSignatures(s))
	}
	return checks
}

func (e *Engine) checkSignatures(s *space.Space) Check {
	name := string(s.Label) + " items"
	listed := 0
	for _, kind := range item.Kinds() {
		entries, err := space.Spaces{s}.List(kind)
		if err != nil {
			return broken(name, firstHint(err), "%s", item.FirstLine(err.Error()))
		}
		listed += len(entries)
	}
	if listed > maxDoctorItems {
		return noted(name, "%d files: too many for a quick look, see rye verify --all", listed)
	}
	targets, err := e.allTargets(space.Spaces{s})
	if err != nil {
		return broken(name, firstHint(err), "%s", item.FirstLine(err.Error()))
	}
	moment := e.atThisMoment()
	moment.verifier.DevMode, moment.verifier.Warn = false, func(string) {}
	results := make([]FileResult, len(targets))
	forEach(len(targets), nil, func(i int) { results[i] = moment.verifyOne(targets[i]) })
	r := report(results, "verified")
	if r.Failed == 0 {
		return passed(name, "%d verified", r.Total)
	}
	var names []string
	for _, result := range r.Results {
		if result.State == StateFailed {
			names = append(names, result.ItemID)
		}
	}
	if s.Label == space.System {
		return broken(name, "install rye again", "%d of %d do not verify: %s", r.Failed, r.Total, some(names))
	}
	fix := "rye sign --all"
	if s.Label == space.User {
		fix += " --source user"
	}
	return warned(name, fix, "%d of %d are unsigned, changed or not trusted: %s", r.Failed, r.Total, some(names))
}

// checkModes says what makes verification weaker than it is by default.
func (e *Engine) checkModes(context.Context) []Check {
	var checks []Check
	if e.options.DevMode {
		checks = append(checks, warned("developer mode", "unset RYE_DEV_MODE", "on: items run although they do not verify"))
	}
	if e.options.AcceptV1 {
		file := "the preferences"
		if dir, err := os.UserConfigDir(); err == nil {
			file = filepath.Join(dir, "rye", "config.yaml")
		}
		checks = append(checks, warned("version 1 signatures", "rye sign --all, then remove trust.accept_v1 from "+file,
			"accepted: they do not bind an item's name"))
	}
	return checks
}
