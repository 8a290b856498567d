package ryetest

import (
	"os"
	"path"
	"path/filepath"
	"testing/fstest"

	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
)

// Space is one of a world's spaces. Its methods take slash paths below the folder that holds `.ai`, and end the test
// when they fail.
type Space struct {
	Base string // absolute; "" for the system space, which is in memory

	world *World
	files fstest.MapFS // of the system space
}

// Path is where a file is on disk.
func (s *Space) Path(rel string) string { return filepath.Join(s.Base, filepath.FromSlash(rel)) }

// Write puts a file there, without a signature.
func (s *Space) Write(rel, content string) (file string) {
	s.world.t.Helper()
	return s.write(rel, content, 0o644)
}

// Program puts an executable file there.
func (s *Space) Program(rel, content string) (file string) {
	s.world.t.Helper()
	return s.write(rel, content, 0o755)
}

func (s *Space) write(rel, content string, mode os.FileMode) string {
	s.world.t.Helper()
	if s.files != nil {
		s.files[rel] = &fstest.MapFile{Data: []byte(content), Mode: mode}
		return rel
	}
	file := s.Path(rel)
	s.Mkdir(path.Dir(rel))
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		s.world.t.Fatal(err)
	}
	return file
}

// Mkdir makes a folder and its parents.
func (s *Space) Mkdir(rel string) (dir string) {
	s.world.t.Helper()
	if err := os.MkdirAll(s.Path(rel), 0o755); err != nil {
		s.world.t.Fatal(err)
	}
	return s.Path(rel)
}

// Tool puts a signed tool at `.ai/tools/<rel>`.
func (s *Space) Tool(rel, content string) (file string) {
	s.world.t.Helper()
	return s.sign(item.Tool, rel, ".ai/tools/"+rel, content)
}

// Config puts a signed configuration file at `.ai/config/<rel>`.
func (s *Space) Config(rel, content string) (file string) {
	s.world.t.Helper()
	return s.sign(item.Config, rel, ".ai/config/"+rel, content)
}

// Item puts a signed item of any kind into its folder.
func (s *Space) Item(kind item.Kind, rel, content string) (file string) {
	s.world.t.Helper()
	return s.sign(kind, rel, ".ai/"+kind.Dir()+"/"+rel, content)
}

// Dependency puts a file there, signed for being loaded by tools.
func (s *Space) Dependency(rel, content string) (file string) {
	s.world.t.Helper()
	return s.sign(item.Dependency, rel, rel, content)
}

// sign writes a file with the signature of the world's key, or with a detached one beside it.
func (s *Space) sign(kind item.Kind, signedPath, rel, content string) string {
	s.world.t.Helper()
	data, detached, err := integrity.Sign(s.world.Key, kind, signedPath, rel, []byte(content), Now)
	if err != nil {
		s.world.t.Fatal(err)
	}
	if detached != nil {
		s.Write(rel+space.SignatureExtension, string(detached))
	}
	return s.Write(rel, string(data))
}

// Trust makes a key's signatures count in this space.
func (s *Space) Trust(key *integrity.Key) (file string) {
	s.world.t.Helper()
	doc, err := integrity.TrustDocument(key.Public(), "ann", "", s.world.Key, Now)
	if err != nil {
		s.world.t.Fatal(err)
	}
	return s.Write(".ai/config/keys/trusted/"+key.Public().Fingerprint()+".toml", string(doc))
}

// Remove deletes a file or a folder with everything below it.
func (s *Space) Remove(rel string) {
	s.world.t.Helper()
	if s.files != nil {
		delete(s.files, rel)
		return
	}
	if err := os.RemoveAll(s.Path(rel)); err != nil {
		s.world.t.Fatal(err)
	}
}

// YAML is the text of a tool that runs on executor; more are further lines of it.
func YAML(executor string, more ...string) string {
	text := "version: \"1.0.0\"\ntool_type: tool\ndescription: a tool\nexecutor_id: " + executor + "\n"
	for _, m := range more {
		text += m + "\n"
	}
	return text
}

// Execute is the one primitive, for YAML.
const Execute = "rye/core/primitives/execute"
