package item

import (
	"slices"
	"strings"
)

// sandbox reads `sandbox`. A misspelt key would loosen what it was meant to close, so unknown ones are refused.
func (f field) sandbox() *Sandbox {
	if f.object() == nil {
		return nil
	}
	f.onlyKeys("fs", "net")
	s := &Sandbox{}
	if fs := f.child("fs"); fs.object() != nil {
		fs.onlyKeys("read", "write")
		s.Read, s.Write = fs.child("read").texts(), fs.child("write").texts()
	}
	if net := f.child("net"); net.declared() {
		allowed := net.flag(false)
		s.Net = &allowed
	}
	return s
}

// onlyKeys refuses a mapping with other keys than these.
func (f field) onlyKeys(known ...string) {
	for name := range f.object().All() {
		if !slices.Contains(known, name) {
			f.fail("has the key %s: it can only have %s", Quote(name), strings.Join(known, " and "))
		}
	}
}
