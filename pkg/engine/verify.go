package engine

import "github.com/ryeos/rye/pkg/integrity"

// VerifyRequest says what to verify; without patterns it is the project's items, with All those of every space.
type VerifyRequest struct {
	Patterns []string
	All      bool
	Progress func(done, total int)
}

// Verify checks signatures without running anything.
func (e *Engine) Verify(req VerifyRequest) (*Report, error) {
	targets, err := e.verifyTargets(req)
	if err != nil {
		return nil, err
	}
	results := make([]FileResult, len(targets))
	moment := e.atThisMoment()
	forEach(len(targets), req.Progress, func(i int) { results[i] = moment.verifyOne(targets[i]) })
	r := report(results, "verified")
	r.Ignored = e.ignoredKeys()
	return r, nil
}

func (e *Engine) verifyTargets(req VerifyRequest) ([]target, error) {
	if req.All {
		return e.allTargets(e.spaces)
	}
	if len(req.Patterns) == 0 {
		return e.allTargets(e.spaces[:1])
	}
	return e.signTargets(SignRequest{Patterns: req.Patterns}, e.spaces)
}

// atThisMoment is the same engine, asking for each key once.
func (e *Engine) atThisMoment() *Engine {
	moment := *e
	verifier := *e.verifier
	verifier.Trust = e.trust.Snapshot()
	moment.verifier = &verifier
	return &moment
}

// verifyOne gives a result without a state for a library file that nothing asks for.
func (e *Engine) verifyOne(t target) FileResult {
	src, err := t.source()
	if err != nil {
		return failed(t, err)
	}
	v, err := e.verifyTarget(t, src)
	if (err != nil || v.Waived() != nil) && t.unsure && isLibrary(t, src.Data) {
		if t.as == nil {
			return FileResult{}
		}
		t = t.asDependency()
		v, err = e.verifyTarget(t, src)
	}
	if err != nil {
		return failed(t, err)
	}
	if v.Waived() != nil {
		return FileResult{ItemID: t.name(), Path: t.file(), State: StateWaived, Error: v.Waived().Error()}
	}
	return FileResult{ItemID: t.name(), Path: t.file(), State: StateVerified, Signature: signatureOf(v)}
}

func (e *Engine) verifyTarget(t target, src integrity.Source) (integrity.Verified, error) {
	if t.isItem() {
		return e.verifier.Verify(src)
	}
	return e.verifier.VerifyDependency(src, t.dep.SignedPath())
}

// ignoredKeys lists the trust documents that do not count, so that nobody wonders why a key is not trusted.
func (e *Engine) ignoredKeys() []Ignored {
	_, ignored := e.trust.List()
	var out []Ignored
	for _, i := range ignored {
		out = append(out, Ignored{Path: i.File, Reason: i.Reason, Hint: i.Fix})
	}
	return out
}
