package engine

import (
	"fmt"
	"strings"
	"testing"
)

func TestEnvelopeOpens(t *testing.T) {
	padded := strings.Replace(sealedByNode, `","aad`, `==","aad`, 1)
	reordered := strings.Replace(sealedByNode, `{"kind":"execution-secrets/v1","recipient":"fp:bfc71becaabe2d9e"}`,
		`{ "recipient": "fp:bfc71becaabe2d9e", "kind": "execution-secrets/v1" }`, 1)
	for _, text := range []string{sealedByNode, padded, reordered} {
		opened, err := LilluxOpen(boxFolder(t, 0o600), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(opened.Env, opened.Skipped); got != "map[API_KEY:s3cret é] [PATH]" {
			t.Errorf("got %s", got)
		}
	}
}

// A change of any character of what is sealed, of the sender's key or of what is authenticated is noticed.
func TestEnvelopeNoticesChanges(t *testing.T) {
	key := testBoxKey(t)
	start := strings.Index(sealedByNode, `"enc"`)
	for i := start; i < len(sealedByNode); i++ {
		for _, c := range []byte{'A', 'z', '_'} {
			changed := []byte(sealedByNode)
			if changed[i] == c {
				continue
			}
			changed[i] = c
			if plain, err := openEnvelope(key, changed); err == nil {
				t.Errorf("with %q at %d it opens as %q", c, i, plain)
			}
		}
	}
	other, err := openEnvelope(testBoxKey(t), []byte(strings.Replace(sealedByNode, "fp:bf", "fp:be", 2)))
	if err == nil || !strings.Contains(err.Error(), "sealed for another key than bfc71becaabe2d9e") {
		t.Errorf("for somebody else: %q, %v", other, err)
	}
}
