package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ryeos/rye/pkg/builtin"
	"github.com/ryeos/rye/pkg/process"
)

// tests is the function behind rye/dev/test_runner (spec/rye-core §9.2): what `rye test` does, for agents.
func (e *Engine) tests() builtin.Functions {
	return builtin.Functions{"dev/test_runner": e.testRunner}
}

func (e *Engine) testRunner(ctx context.Context, _ builtin.Call, params json.RawMessage) (any, error) {
	p := struct {
		Tool, Spec   string
		IncludeTags  string `json:"include_tags"`
		ExcludeTags  string `json:"exclude_tags"`
		ValidateOnly bool   `json:"validate_only"`
	}{}
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	if err := process.BecomeReaper(); err != nil {
		e.options.Warn(err.Error())
	}
	report, err := e.Test(ctx, TestRequest{
		Tool: p.Tool, Spec: p.Spec, IncludeTags: Tags(p.IncludeTags), ExcludeTags: Tags(p.ExcludeTags), ValidateOnly: p.ValidateOnly,
	})
	if err != nil {
		return nil, err
	}
	fields, err := report.fields()
	if err == nil && report.ErrorType() != "" {
		err = errors.New(report.Summary().String())
		if only := report.Specs[0]; len(report.Specs) == 1 && only.Error != "" {
			err = errors.New(only.Error)
		}
	}
	return fields, err
}

// fields are those of the document without `success` and `error`, which native tools get by their error.
func (r *TestReport) fields() (fields map[string]json.RawMessage, err error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r.Document()); err != nil {
		return nil, err
	}
	err = json.Unmarshal(text.Bytes(), &fields)
	delete(fields, "success")
	delete(fields, "error")
	return fields, err
}

// Tags reads a list of tags with commas between them.
func Tags(list string) []string {
	var tags []string
	for tag := range strings.SplitSeq(list, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// String counts in words.
func (s TestSummary) String() string {
	text := fmt.Sprintf("%d passed, %d failed, %d skipped", s.Passed, s.Failed, s.Skipped)
	switch s.Invalid {
	case 0:
	case 1:
		text += ", 1 spec cannot be run"
	default:
		text += fmt.Sprintf(", %d specs cannot be run", s.Invalid)
	}
	return text
}
