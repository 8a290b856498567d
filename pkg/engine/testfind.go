package engine

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/chain"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// The specs of a project are the files below .ai/tests that end so. They are no items, but they choose what verified tools are
// told to do: each must be signed, as a dependency is.
const (
	testsDir      = "tests"
	specExtension = ".test.yaml"
)

// isSpec tells a spec by its path below .ai.
func isSpec(rel string) bool {
	return strings.HasPrefix(rel, testsDir+"/") && strings.HasSuffix(rel, specExtension)
}

// projectSpecs lists the specs of the project.
func (e *Engine) projectSpecs() ([]chain.Dependency, error) {
	project := e.writableSpace(space.Project)
	files, err := project.Files(testsDir)
	var specs []chain.Dependency
	for _, rel := range files {
		if isSpec(rel) {
			specs = append(specs, specIn(project, rel))
		}
	}
	return specs, err
}

func specIn(s *space.Space, rel string) chain.Dependency {
	return chain.Dependency{Folder: chain.Folder{Space: s, Rel: path.Dir(rel)}, Rel: rel}
}

// testSpecs reads the specs that a request is about.
func (e *Engine) testSpecs(req TestRequest) ([]*testSpec, error) {
	var tool item.Ref
	if req.Tool != "" {
		ref, err := item.ParseRef(req.Tool)
		if err != nil {
			return nil, err
		}
		if ref.Kind != "" && ref.Kind != item.Tool {
			return nil, item.Usagef("%s is no tool: only tools can be tested", ref)
		}
		tool = ref.With(item.Tool)
	}
	files, where, err := e.specFiles(req.Spec)
	if err != nil {
		return nil, err
	}
	var specs []*testSpec
	var tools []string
	moment := e.atThisMoment()
	for _, file := range files {
		spec := moment.testSpec(file, req.ValidateOnly)
		if req.Spec != "" && errors.Is(spec.err, fs.ErrNotExist) {
			return nil, item.Errorf(item.TypeNotFound, "Spec not found: %s", where)
		}
		if !req.ValidateOnly && e.beingTested(spec.file) {
			spec.err = item.Errorf(item.TypeChain, "%s: a test in this file runs the file again, without end", spec.file)
			spec.tests = nil
		}
		if spec.tool.ID != "" {
			tools = append(tools, spec.tool.String())
		}
		if tool.ID == "" || spec.tool == tool || spec.tool.ID == "" {
			specs = append(specs, spec)
		}
	}
	if len(specs) > 0 {
		return specs, nil
	}
	return nil, noSpecs(tool, where, tools)
}

func noSpecs(tool item.Ref, where string, tools []string) error {
	if tool.ID == "" {
		return item.Errorf(item.TypeNotFound, "No test specs found in %s", where)
	}
	err := item.Errorf(item.TypeNotFound, "No test specs found for tool '%s' in %s", tool.ID, where)
	if near := item.Suggest(tool.String(), tools); near != "" {
		err.Hint("did you mean %s?", near)
	}
	return err
}

// specFiles lists the files to read, and says where they are.
func (e *Engine) specFiles(only string) (files []chain.Dependency, where string, err error) {
	project := e.writableSpace(space.Project)
	if only == "" {
		files, err = e.projectSpecs()
		return files, project.Display(testsDir), err
	}
	file := filepath.FromSlash(only)
	if !filepath.IsAbs(file) {
		file = filepath.Join(e.options.Project, file)
	}
	rel, err := filepath.Rel(project.Root(), file)
	rel = filepath.ToSlash(rel)
	if err != nil || !isSpec(rel) {
		return nil, "", item.Usagef("%s is no test spec of this project: those are the files %s", item.Quote(only),
			path.Join(space.Dir, testsDir, "**", "*"+specExtension))
	}
	return []chain.Dependency{specIn(project, rel)}, file, nil
}

// testSpec reads one file, once, and parses it if it is verified. Validating runs nothing: it also parses what is not.
func (e *Engine) testSpec(file chain.Dependency, validateOnly bool) *testSpec {
	spec := &testSpec{file: file.Display()}
	var refusal error
	src, err := file.Source()
	if err == nil {
		_, err = e.verifier.VerifyDependency(src, file.SignedPath())
		if validateOnly && item.TypeOf(err) == item.TypeIntegrity {
			refusal, err = err, nil
		}
	}
	if err == nil {
		spec, err = readTestSpec(spec.file, src.Data)
	}
	if err == nil {
		err = e.findTested(spec, src.Data)
	}
	spec.path, spec.refusal = file.SignedPath(), refusal
	if err != nil {
		spec.err, spec.tests = err, nil
	}
	return spec
}

// findTested looks whether there is a tool to test.
func (e *Engine) findTested(spec *testSpec, src []byte) error {
	_, err := e.spaces.Find(spec.tool, false)
	var missing *space.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	unknown := e.notFound(spec.tool, missing)
	r := &specReader{spec.file, src}
	unknown.Type, unknown.Message = item.TypeChain, r.fail([]string{"tool"}, "%s", unknown.Message).Error()
	return unknown
}

// TestedTools lists the tools that have specs, sorted.
func (e *Engine) TestedTools() []string {
	files, err := e.projectSpecs()
	if err != nil {
		return nil
	}
	var tools []string
	for _, file := range files {
		if spec := e.testSpec(file, true); spec.err == nil {
			tools = append(tools, spec.tool.String())
		}
	}
	slices.Sort(tools)
	return slices.Compact(tools)
}
