package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/directive"
	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// SignRequest says what to sign.
type SignRequest struct {
	Patterns []string    // references, globs over ids, paths
	All      bool        // every item and test of the space, and every dependency that verification would ask for
	Source   space.Label // space to sign in; "" is the project
	Check    bool        // only say what would be signed and what is wrong; nothing is written
	Force    bool        // sign again what this key has already signed
	Progress func(done, total int)
}

// The states of one file in a report.
const (
	StateSigned    = "signed"
	StateUnchanged = "unchanged" // signed already: by this key, or when checking by any that is trusted
	StateNeedsSign = "needs_signing"
	StateFailed    = "failed"
	StateVerified  = "verified"
	StateWaived    = "waived" // verification failed and dev mode let it pass
)

// FileResult is one line of a sign or verify report.
type FileResult struct {
	ItemID    string         `json:"item_id"`
	Path      string         `json:"path"`
	State     string         `json:"state"`
	Signature *Signature     `json:"signature,omitempty"`
	Error     string         `json:"error,omitempty"`
	ErrorType item.ErrorType `json:"error_type,omitempty"`
	Issues    []string       `json:"issues,omitempty"`
	Warnings  []string       `json:"warnings,omitempty"` // what is probably a slip
	Hints     []string       `json:"hints,omitempty"`
}

// Signature is what a report says about a signature line.
type Signature struct {
	Timestamp string `json:"timestamp"`
	Hash      string `json:"hash"`
	Signer    string `json:"pubkey_fp"`
	Owner     string `json:"owner,omitempty"`
}

// Report is the answer to signing or verifying several files.
type Report struct {
	Status  string       `json:"status"` // success, or error when a file failed
	Summary string       `json:"summary"`
	Total   int          `json:"total"`
	Failed  int          `json:"failed"`
	Results []FileResult `json:"results"`
	Ignored []Ignored    `json:"ignored_keys,omitempty"`
}

// Ignored is a trust document that does not count, and why.
type Ignored struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

// Sign validates the metadata of every file that the request names and signs those that are sound. One unsound file
// does not keep the others from being signed.
func (e *Engine) Sign(req SignRequest) (*Report, error) {
	label := req.Source
	if label == "" {
		label = space.Project
	}
	if label == space.System {
		return nil, item.Usagef("System space items are immutable and cannot be signed. Copy to project or user space first.")
	}
	s := e.writableSpace(label)
	targets, err := e.signTargets(req, space.Spaces{s})
	if err != nil {
		return nil, err
	}
	var key *integrity.Key
	if !req.Check {
		if key, err = integrity.LoadKey(e.options.KeyDir); err != nil {
			return nil, err
		}
	}
	results := make([]FileResult, len(targets))
	moment := e.atThisMoment()
	forEach(len(targets), req.Progress, func(i int) { results[i] = moment.signOne(targets[i], key, req) })
	return report(results, "signed"), nil
}

func (e *Engine) signTargets(req SignRequest, spaces space.Spaces) ([]target, error) {
	if req.All {
		return e.allTargets(spaces)
	}
	var targets []target
	for _, pattern := range req.Patterns {
		found, err := e.targets(pattern, spaces)
		if err != nil {
			return nil, err
		}
		targets = append(targets, found...)
	}
	return unique(targets), nil
}

func unique(targets []target) []target {
	seen := map[string]bool{}
	return slices.DeleteFunc(targets, func(t target) bool {
		twice := seen[t.file()]
		seen[t.file()] = true
		return twice
	})
}

func (e *Engine) signOne(t target, key *integrity.Key, req SignRequest) FileResult {
	src, err := t.source()
	if err != nil {
		return failed(t, err)
	}
	var warnings []string
	if t.isItem() {
		meta, err := item.ParseMetadata(t.ref.Kind, src.File, src.Data)
		if err != nil {
			return failed(t, err)
		}
		if !t.explicit && !item.IsItem(t.ref.Kind, meta) {
			if t.unsure && t.as == nil {
				return FileResult{} // a library file that nothing asks for
			}
			t = t.asDependency()
		} else {
			issues, doubts := e.validate(t.ref, src.File, src.Data, meta)
			warnings = located(t.file(), doubts)
			if len(issues) > 0 {
				return invalid(t, issues, warnings)
			}
		}
	}
	if t.isSpec() {
		if _, err := readTestSpec(src.File, src.Data); err != nil {
			return failed(t, err)
		}
	}
	kind, signedPath := item.Dependency, t.dep.SignedPath()
	if t.isItem() {
		kind, signedPath = t.ref.Kind, t.place.Path()
	}
	result := FileResult{ItemID: t.name(), Path: t.file(), Warnings: warnings}
	v, err := e.verifyTarget(t, src)
	if err == nil {
		err = v.Waived()
	}
	if err == nil && (req.Check || !req.Force && v.Version() == 2 && v.Signer() == key.Public().Fingerprint()) {
		result.State, result.Signature = StateUnchanged, signatureOf(v)
		return result
	}
	if req.Check {
		result.State, result.ErrorType = StateNeedsSign, item.TypeOf(err)
		result.Error, result.Hints = err.Error(), item.HintsOf(err)
		return result
	}
	now := e.options.Now()
	data, detached, err := integrity.Sign(key, kind, signedPath, src.File, src.Data, now)
	if err == nil {
		err = e.store(t, src, data, detached)
	}
	if err != nil {
		return failed(t, err)
	}
	src.Data, src.Detached = data, detached
	result.State = StateSigned
	v, err = e.verifyTarget(t, src)
	if err != nil { // signed by a key that is not trusted: it would not run
		result.Issues, result.Hints = []string{err.Error()}, []string{"rye keys trust"}
		return result
	}
	result.Signature = signatureOf(v)
	return result
}

// validate lists what keeps an item from being signed, and what is probably a slip.
func (e *Engine) validate(ref item.Ref, file string, data []byte, meta *item.Metadata) (issues, doubts []item.Issue) {
	switch {
	case ref.Kind == item.Directive:
		d, err := directive.Parse(file, data)
		if err != nil {
			return []item.Issue{{Message: err.Error()}}, nil
		}
		return d.Validate(ref, file), nil
	case ref.Kind == item.Agent:
		return e.validateAgent(ref, file, data)
	case ref.Kind == item.Tool && meta.ExecutorID == graphRuntime:
		issues = item.Validate(ref, file, meta)
		g, err := graph.Parse(file, data)
		if err != nil {
			return append(issues, item.Issue{Message: err.Error()}), nil
		}
		r := g.Validate()
		return append(issues, r.Errors...), slices.Concat(r.Warnings, r.Notes)
	}
	return item.Validate(ref, file, meta), nil
}

// store writes the signed bytes, or the detached signature beside a file that cannot hold a line.
func (e *Engine) store(t target, src integrity.Source, data, detached []byte) error {
	base, rel := t.dep.Folder.Space, t.dep.Rel
	if t.isItem() {
		base, rel = t.place.Space, t.place.Rel
	}
	if t.dep.Folder.Project {
		return space.WriteFile(base.Base, rel+suffix(detached), pick(data, detached))
	}
	return space.WriteFile(base.Root(), rel+suffix(detached), pick(data, detached))
}

func suffix(detached []byte) string {
	if detached != nil {
		return space.SignatureExtension
	}
	return ""
}

func pick(data, detached []byte) []byte {
	if detached != nil {
		return detached
	}
	return data
}

func failed(t target, err error) FileResult {
	return FileResult{
		ItemID: t.name(), Path: t.file(), State: StateFailed,
		Error: err.Error(), ErrorType: item.TypeOf(err), Hints: item.HintsOf(err),
	}
}

func invalid(t target, issues []item.Issue, warnings []string) FileResult {
	return FileResult{
		ItemID: t.name(), Path: t.file(), State: StateFailed, Error: "Validation failed", ErrorType: item.TypeChain,
		Issues: located(t.file(), issues), Warnings: warnings,
	}
}

func signatureOf(v integrity.Verified) *Signature {
	return &Signature{
		Timestamp: v.SignedAt().UTC().Format("2006-01-02T15:04:05Z"), Hash: v.Digest(), Signer: v.Signer(), Owner: v.Owner(),
	}
}

// report counts; verb is what happened to the files that are well. Files without a state are not part of it.
func report(results []FileResult, verb string) *Report {
	results = slices.DeleteFunc(results, func(f FileResult) bool { return f.State == "" })
	r := &Report{Status: item.StatusSuccess, Total: len(results), Results: results}
	unchanged, waived := 0, 0
	for _, f := range results {
		switch f.State {
		case StateFailed, StateNeedsSign:
			r.Failed++
			r.Status = item.StatusError
		case StateUnchanged:
			unchanged++
		case StateWaived:
			waived++
		}
	}
	parts := []string{fmt.Sprintf("%d/%d %s", r.Total-r.Failed-unchanged-waived, r.Total, verb)}
	for _, p := range []struct {
		n    int
		text string
	}{{unchanged, "unchanged"}, {waived, "waived by dev mode"}, {r.Failed, "failed"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	r.Summary = strings.Join(parts, ", ")
	return r
}
