package engine

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ryeos/rye/pkg/item"
)

// TestRequest says which tests of the project to run; without Tool and Spec it is all of them.
type TestRequest struct {
	Tool string // only those of this tool
	Spec string // only those in this file, absolute or below the project

	IncludeTags, ExcludeTags []string // only tests with one of the former and none of the latter

	ValidateOnly bool // read the specs, run nothing
	Jobs         int  // tests at a time; less than 1 is 1
	FailFast     bool // start no test after one has failed

	// Progress is called from one goroutine, in the order of the report: with a nil test when a spec begins, and for each
	// test that has ended.
	Progress func(spec *SpecResult, test *TestResult)
}

// Why a test was skipped, besides its own reason.
const (
	skippedByTags      = "not chosen by its tags"
	skippedUnrun       = "only validated"
	skippedFailFast    = "a test before it has failed"
	skippedInterrupted = "interrupted"
)

// runningSpecs is the variable that lists the specs which are being run, so that none runs itself again through the tool that it
// tests.
const runningSpecs = "RYE_TEST_SPECS"

// Test runs tests. The error is for a request that cannot be met; what is wrong with a spec, and tests that fail, are in the
// report.
func (e *Engine) Test(ctx context.Context, req TestRequest) (*TestReport, error) {
	specs, err := e.testSpecs(req)
	if err != nil {
		return nil, err
	}
	run := &testRun{req: req}
	report := &TestReport{}
	for _, s := range specs {
		report.Specs = append(report.Specs, newSpecResult(s))
		child := e.testing(s.file)
		for _, t := range s.tests {
			run.jobs = append(run.jobs, &testJob{engine: child, tool: s.tool, test: t, done: make(chan struct{})})
		}
	}
	chosen := slices.ContainsFunc(run.jobs, func(j *testJob) bool { return req.chooses(j.test) })
	if !chosen && report.ErrorType() == "" {
		return nil, item.Errorf(item.TypeNotFound, "no test has the tags that were asked for").
			Hint("see the tests and their tags: rye test --validate-only -o json")
	}
	run.start(ctx)
	jobs := run.jobs
	for i, s := range specs {
		result := report.Specs[i]
		req.report(result, nil)
		for range s.tests {
			<-jobs[0].done
			result.add(jobs[0].result)
			req.report(result, &result.Results[len(result.Results)-1])
			jobs = jobs[1:]
		}
	}
	run.workers.Wait()
	return report, nil
}

func (r TestRequest) report(spec *SpecResult, test *TestResult) {
	if r.Progress != nil {
		r.Progress(spec, test)
	}
}

func (r TestRequest) chooses(t testCase) bool {
	has := func(tag string) bool { return slices.Contains(t.tags, tag) }
	return (len(r.IncludeTags) == 0 || slices.ContainsFunc(r.IncludeTags, has)) && !slices.ContainsFunc(r.ExcludeTags, has)
}

// testing is the same engine, whose tools know which spec they are run for.
func (e *Engine) testing(file string) *Engine {
	child := *e
	running, _ := lastValue(e.options.Env, runningSpecs)
	if running != "" {
		running += string(filepath.ListSeparator)
	}
	child.options.Env = append(slices.Clone(e.options.Env), runningSpecs+"="+running+file)
	return &child
}

// beingTested reports whether this engine serves a tool that runs for a test in the spec.
func (e *Engine) beingTested(file string) bool {
	running, _ := lastValue(e.options.Env, runningSpecs)
	return slices.Contains(filepath.SplitList(running), file)
}

// testRun is the tests of one request, in their order.
type testRun struct {
	req     TestRequest
	jobs    []*testJob
	workers sync.WaitGroup
	failed  atomic.Bool
}

type testJob struct {
	engine *Engine
	tool   item.Ref
	test   testCase
	result TestResult    // complete when
	done   chan struct{} // is closed
}

func (r *testRun) start(ctx context.Context) {
	var next atomic.Int64
	for range min(max(r.req.Jobs, 1), len(r.jobs)) {
		r.workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(r.jobs)); i = next.Add(1) - 1 {
				j := r.jobs[i]
				r.do(ctx, j)
				close(j.done)
			}
		})
	}
}

// do runs one test, unless there is a reason not to.
func (r *testRun) do(ctx context.Context, j *testJob) {
	if reason := r.reasonToSkip(ctx, j.test); reason != "" {
		j.result = j.test.skipped(reason)
		return
	}
	j.result = j.test.judge(j.engine.Execute(ctx, j.test.request(j.tool), nil, nil))
	if !j.result.Passed && !j.result.Skipped {
		r.failed.Store(true)
	}
}

func (r *testRun) reasonToSkip(ctx context.Context, t testCase) string {
	switch {
	case !r.req.chooses(t):
		return skippedByTags
	case t.skip != "":
		return t.skip
	case r.req.ValidateOnly:
		return skippedUnrun
	case ctx.Err() != nil:
		return skippedInterrupted
	case r.req.FailFast && r.failed.Load():
		return skippedFailFast
	}
	return ""
}

func (t testCase) request(tool item.Ref) item.Request {
	return item.Request{Ref: tool.String(), Parameters: t.params, Timeout: t.timeout}
}

// neverRan are failures that say nothing about a tool that left no exit code: no assertion can expect them.
var neverRan = []item.ErrorType{
	item.TypeNotFound, item.TypeIntegrity, item.TypeChain, item.TypeUnavailable, item.TypeInternal,
}

// judge holds a response against the assertions; without any, success is what counts.
func (t testCase) judge(resp *item.Response) TestResult {
	if resp.ErrorType == item.TypeInterrupted {
		return t.skipped(skippedInterrupted)
	}
	r := t.result()
	if resp.Metadata != nil {
		r.DurationMS = resp.Metadata.DurationMS
	}
	document := testDocument(resp)
	ran := resp.Metadata != nil && resp.Metadata.ExitCode != nil
	r.Passed = ran || !slices.Contains(neverRan, resp.ErrorType)
	if r.Passed {
		for _, a := range t.asserts {
			checked := a.check(document)
			r.Assertions = append(r.Assertions, checked)
			r.Passed = r.Passed && checked.Passed
		}
		if len(t.asserts) == 0 {
			r.Passed = !resp.Failed()
		}
	}
	if !r.Passed {
		r.Error = resp.Error
		r.Exec = excerptOf(resp, document)
	}
	return r
}

func (t testCase) result() TestResult {
	return TestResult{Name: t.name, Tags: append([]string{}, t.tags...), Assertions: []AssertionResult{}}
}

func (t testCase) skipped(reason string) TestResult {
	r := t.result()
	r.Skipped, r.Reason = true, reason
	return r
}
