package runtime

import (
	"path/filepath"
	"strings"
)

// asdfShims is the end of the folder of asdf's shims. asdf keeps every language's versions in one file, and its shims say
// in a comment which plugins they stand for.
const asdfShims = ".asdf/shims"

// behindAsdf gives the program that a shim of asdf would start in the project: the version is that of the plugin's
// variable, else of the nearest .tool-versions that has the plugin, else of the one in the home folder.
func (b *builder) behindAsdf(shim string) string {
	root := filepath.Dir(filepath.Dir(shim))
	text, err := readStart(shim, maxVersionFile)
	if err != nil {
		return shim
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "#" || words[1] != "asdf-plugin:" || filepath.Base(words[2]) != words[2] {
			continue
		}
		for _, version := range b.asdfVersions(words[2]) {
			if found := b.versionProgram(shim, filepath.Join(root, "installs", words[2]), version); found != "" {
				return found
			}
		}
	}
	return shim
}

func (b *builder) asdfVersions(plugin string) []string {
	variable := "ASDF_" + strings.ToUpper(strings.ReplaceAll(plugin, "-", "_")) + "_VERSION"
	if chosen := b.env.value(variable); chosen != "" {
		return strings.Fields(chosen)
	}
	for _, start := range []string{b.in.Project, b.env.value("HOME")} {
		if !filepath.IsAbs(start) {
			continue
		}
		for text := range versionFiles(start, ".tool-versions") {
			for line := range strings.Lines(text) {
				line, _, _ = strings.Cut(line, "#")
				if words := strings.Fields(line); len(words) > 1 && words[0] == plugin {
					return words[1:]
				}
			}
		}
	}
	return nil
}
