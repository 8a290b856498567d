package directive

import (
	"slices"

	"github.com/ryeos/rye/pkg/item"
)

// Validate lists everything that keeps the directive from being signed as ref, whose file is named file
// (spec/rye-agent §1.7).
func (d *Document) Validate(ref item.Ref, file string) []item.Issue {
	return slices.Concat(item.Validate(ref.With(item.Directive), file, d.meta), d.issues)
}
