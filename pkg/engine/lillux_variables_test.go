package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestEnvelopeRefuses(t *testing.T) {
	const key32 = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	const aad = `{"kind":"execution-secrets/v1","recipient":"fp:0"}`
	for text, want := range map[string]string{
		``:                               "the envelope is not valid JSON: ",
		`[]`:                             "the envelope is not valid JSON: ",
		`{"version":1} x`:                "the envelope is not valid JSON: ",
		"{\"version\":1,\"x\":\"\xff\"}": "the envelope is not valid JSON: it is not UTF-8",
		`{}`:                             "unsupported envelope version: none",
		`{"Version":1}`:                  "unsupported envelope version: none",
		`{"version":1,"enc":1}`:          "invalid envelope field enc: it is not a string",
		`{"version":2}`:                  "unsupported envelope version: 2",
		`{"version":1}`:                  "envelope missing required field: enc",
		`{"version":1,"enc":"x"}`:        "envelope missing required field: ciphertext",
		`{"version":1,"enc":"x","ciphertext":"x"}`:                                      "envelope missing required field: aad_fields",
		`{"version":1,"enc":"x","ciphertext":"x","aad_fields":{"kind":"other"}}`:        `unsupported envelope kind: "other"`,
		`{"version":1,"enc":"x","ciphertext":"x","aad_fields":[]}`:                      "unsupported envelope kind: ",
		`{"version":1,"enc":"!","ciphertext":"x","aad_fields":` + aad + `}`:             "invalid envelope field enc: it is not base64url",
		`{"version":1,"enc":"AAAA","ciphertext":"x","aad_fields":` + aad + `}`:          "invalid envelope field enc: it has 3 bytes instead of 32",
		`{"version":1,"enc":"` + key32 + `","ciphertext":"!","aad_fields":` + aad + `}`: "invalid envelope field ciphertext: it is not base64url",
		// Of a point of low order the shared secret is the same for everybody.
		`{"version":1,"enc":"` + key32 + `","ciphertext":"AAAA","aad_fields":` + aad + `}`: "invalid envelope field enc: ",
		strings.Repeat(" ", maxEnvelope+1):                                                 "the envelope is larger than ",
	} {
		if _, err := openEnvelope(testBoxKey(t), []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.200q: got %v, want %s…", text, err, want)
		}
	}
}

func TestVariables(t *testing.T) {
	many := map[string]string{}
	for i := range maxVariables + 1 {
		many[fmt.Sprintf("V%d", i)] = ""
	}
	for _, tt := range []struct {
		variables any
		problem   string
	}{
		{[]string{"A"}, "the content of the envelope is not a JSON object"},
		{nil, "the content of the envelope is not a JSON object"},
		{map[string]any{"B": 1, "A": "x\x00y"}, `env map validation failed: the value of "A" holds a NUL character; the value of "B" is not a string`},
		{map[string]any{"PATH": nil}, `env map validation failed: the value of "PATH" is not a string`},
		{map[string]string{"A": strings.Repeat("x", maxValue+1)}, `env map validation failed: the value of "A" has 65537 bytes, at most 65536 are allowed`},
		{many, "env map validation failed: 257 variables, at most 256 are allowed"},
		{full(maxTotal + 10), "env map validation failed: 1048586 bytes of names and values, at most 1048576 are allowed"},
		{full(maxTotal), ""},
		{map[string]string{}, ""},
	} {
		plain, err := json.Marshal(tt.variables)
		if err != nil {
			t.Fatal(err)
		}
		_, err = readVariables(plain)
		if got := fmt.Sprint(err); tt.problem == "" && err != nil || tt.problem != "" && got != tt.problem {
			t.Errorf("%.80q: got %v, want %q", plain, err, tt.problem)
		}
	}
}

// full makes variables that take so many bytes together.
func full(size int) map[string]string {
	variables := map[string]string{}
	for i := 0; size > 0; i++ {
		name := fmt.Sprintf("V%02d", i)
		n := min(size, maxValue) - len(name)
		variables[name] = strings.Repeat("x", max(n, 0))
		size -= len(name) + max(n, 0)
	}
	return variables
}

func TestVariablesSkipped(t *testing.T) {
	opened, err := readVariables([]byte(`{"_ok":"1","A1":"","PATH":"x","LD_AUDIT":"x","AWS_KEY":"x","1A":"x","A-B":"x","":"x","é":"x","path":"2"}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"", "1A", "A-B", "AWS_KEY", "LD_AUDIT", "PATH", "é"}; !slices.Equal(opened.Skipped, want) {
		t.Errorf("skipped %q, want %q", opened.Skipped, want)
	}
	if got := fmt.Sprint(opened.Env); got != "map[A1: _ok:1 path:2]" {
		t.Errorf("got %s", got)
	}
}

// Whatever is sealed, only variables that may be set come out, within the bounds.
func FuzzVariables(f *testing.F) {
	f.Add([]byte(`{"A":"1","PATH":"2"}`))
	f.Add([]byte(`{"A":null,"\u0000":"\u0000"}`))
	f.Fuzz(func(t *testing.T, plain []byte) {
		opened, err := readVariables(plain)
		if err != nil {
			return
		}
		if len(opened.Env)+len(opened.Skipped) > maxVariables {
			t.Errorf("%d variables", len(opened.Env))
		}
		for name, value := range opened.Env {
			if !maySet(name) || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
				t.Errorf("%q=%q came out", name, value)
			}
		}
	})
}

// No bytes make the reader of envelopes panic, and nothing opens that was not sealed.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"version":1,"enc":"AAAA","ciphertext":"","aad_fields":{"kind":"execution-secrets/v1"}}`))
	f.Add([]byte(sealedByNode))
	key := testBoxKey(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := openEnvelope(key, text); err == nil && string(text) != sealedByNode {
			if e, parseErr := parseEnvelope(text); parseErr != nil || !strings.Contains(sealedByNode, e.ciphertext) {
				t.Errorf("%q opened", text)
			}
		}
	})
}
