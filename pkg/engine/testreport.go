package engine

import (
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// TestReport is what came of running tests.
type TestReport struct{ Specs []*SpecResult }

// SpecResult is what came of one spec.
type SpecResult struct {
	Success     bool           `json:"success"`
	Interrupted bool           `json:"interrupted,omitempty"` // some of its tests were not run to their end
	Tool        string         `json:"tool,omitempty"`
	SpecPath    string         `json:"spec_path"`
	Error       string         `json:"error,omitempty"` // why it cannot be run
	ErrorType   item.ErrorType `json:"error_type,omitempty"`
	Unverified  string         `json:"unverified,omitempty"` // why it would not be run; of specs that are only validated
	Hints       []string       `json:"hints,omitempty"`
	Summary     TestSummary    `json:"summary"`
	Results     []TestResult   `json:"results"`
}

// TestSummary counts tests.
type TestSummary struct {
	Specs      int   `json:"specs,omitempty"`   // of a report with several
	Invalid    int   `json:"invalid,omitempty"` // specs that cannot be run
	Total      int   `json:"total"`
	Passed     int   `json:"passed"`
	Failed     int   `json:"failed"`
	Skipped    int   `json:"skipped"`
	DurationMS int64 `json:"duration_ms"` // that the tools ran, all together
}

// TestResult is what came of one test.
type TestResult struct {
	Name       string            `json:"name"`
	Tags       []string          `json:"tags"`
	Passed     bool              `json:"passed"`
	Skipped    bool              `json:"skipped"`
	Reason     string            `json:"reason,omitempty"` // why it was skipped
	DurationMS int64             `json:"duration_ms"`
	Assertions []AssertionResult `json:"assertions"`
	Error      string            `json:"error,omitempty"` // of the run, if the test failed
	Exec       *item.Response    `json:"exec,omitempty"`  // the response, if the test failed; what is long is cut
}

// Failures says what is wrong with a test that failed, for people: the assertions that do not hold, and why the tool failed
// if it did.
func (t *TestResult) Failures() []string {
	var failures []string
	for _, a := range t.Assertions {
		if !a.Passed {
			failures = append(failures, a.String())
		}
	}
	if t.Error != "" {
		failures = append(failures, t.Error)
	}
	return failures
}

func newSpecResult(s *testSpec) *SpecResult {
	r := &SpecResult{SpecPath: s.path, Success: s.err == nil, Results: []TestResult{}}
	if s.tool.ID != "" {
		r.Tool = s.tool.String()
	}
	if s.refusal != nil {
		r.Unverified, r.Hints = s.refusal.Error(), item.HintsOf(s.refusal)
	}
	if s.err != nil {
		r.Error, r.ErrorType, r.Hints = s.err.Error(), item.TypeOf(s.err), item.HintsOf(s.err)
		r.Summary.Invalid = 1
	}
	return r
}

func (s *SpecResult) add(t TestResult) {
	s.Results = append(s.Results, t)
	s.Summary.Total++
	s.Summary.DurationMS += t.DurationMS
	switch {
	case t.Skipped:
		s.Summary.Skipped++
		if t.Reason == skippedInterrupted {
			s.Interrupted, s.Success = true, false
		}
	case t.Passed:
		s.Summary.Passed++
	default:
		s.Summary.Failed++
		s.Success = false
	}
}

// Summary is the sum of the specs'.
func (r *TestReport) Summary() TestSummary {
	sum := TestSummary{Specs: len(r.Specs)}
	for _, s := range r.Specs {
		sum.Invalid += s.Summary.Invalid
		sum.Total += s.Summary.Total
		sum.Passed += s.Summary.Passed
		sum.Failed += s.Summary.Failed
		sum.Skipped += s.Summary.Skipped
		sum.DurationMS += s.Summary.DurationMS
	}
	return sum
}

// ErrorType is the gravest thing that went wrong: an interruption, a spec that cannot be run, a test that failed. It is
// "" when nothing did.
func (r *TestReport) ErrorType() item.ErrorType {
	if slices.ContainsFunc(r.Specs, func(s *SpecResult) bool { return s.Interrupted }) {
		return item.TypeInterrupted
	}
	if i := slices.IndexFunc(r.Specs, func(s *SpecResult) bool { return s.ErrorType != "" }); i >= 0 {
		return r.Specs[i].ErrorType
	}
	if r.Summary().Failed > 0 {
		return item.TypeFailed
	}
	return ""
}

// Document is the report in JSON's terms: an only spec as itself, several with a summary of all (spec/rye-core §9.4).
func (r *TestReport) Document() any {
	if len(r.Specs) == 1 {
		return r.Specs[0]
	}
	return struct {
		Success bool          `json:"success"`
		Summary TestSummary   `json:"summary"`
		Specs   []*SpecResult `json:"specs"`
	}{r.ErrorType() == "", r.Summary(), r.Specs}
}
