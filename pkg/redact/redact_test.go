package redact

import (
	"bytes"
	base64encoding "encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"
)

var samples = []string{
	"hunter2", "correct horse battery staple", `it's "quoted" \back/slash`, "sk-proj_AbC+/=09", "100%41&amp;<b>", "pässwörd-日本-🔑",
	strings.Repeat("0123456789abcdef", 20),
}

func TestTextFindsEveryEncoding(t *testing.T) {
	for _, value := range samples {
		r := New(map[string]string{"API_KEY": value})
		for name, encode := range encodings {
			encoded := encode(value)
			for _, around := range [][2]string{{"failed: ", " (code 7)"}, {"", ""}, {"é=\"", "\"\n"}} {
				got := r.Text(around[0] + encoded + around[1])
				if strings.Contains(got, encoded) || !strings.Contains(got, "[redacted API_KEY]") {
					t.Errorf("%s of %q survives: %q", name, value, got)
				}
				if !strings.HasPrefix(got, around[0]) || !strings.HasSuffix(got, around[1]) {
					t.Errorf("%s of %q: the text around it changed: %q", name, value, got)
				}
			}
		}
	}
}

// TestTextLeavesNoSecret puts random secrets, encoded at random, into random text.
func TestTextLeavesNoSecret(t *testing.T) {
	names := slices.Sorted(maps.Keys(encodings))
	property := func(seed uint64) bool {
		random := rand.New(rand.NewPCG(seed, 1))
		value, other := randomText(random, 7+random.IntN(40)), randomText(random, 8)
		name := names[random.IntN(len(names))]
		encode := encodings[name]
		r := New(map[string]string{"A_TOKEN": value, "B_TOKEN": other})
		text := randomText(random, 20) + "." + encode(value) + "." + randomText(random, 20) + other
		got := r.Text(text)
		hidden := !strings.Contains(got, encode(value)) && !strings.Contains(got, value) && !strings.Contains(got, other)
		if !hidden {
			t.Logf("%s of %q and %q in %q: %q", name, value, other, text, got)
		}
		return hidden
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

func randomText(random *rand.Rand, n int) string {
	const letters = `abcXYZ019 +/=-_.:'"\%&<>$é🔑`
	all := []rune(letters)
	out := make([]rune, n)
	for i := range out {
		out[i] = all[random.IntN(len(all))]
	}
	return "q" + strings.TrimSpace(string(out)) // a secret that is nothing but blanks is none
}

func TestTextLeavesOtherTextAlone(t *testing.T) {
	r := New(map[string]string{"SHORT_KEY": "abcde", "EMPTY_KEY": "", "BLANK_KEY": "        ", "API_KEY": "hunter2-and-more"})
	for _, text := range []string{
		"", "abcde", "plain text", `{"a":"b\u00e9\n"}`, "%41%zz% &amp; &; \\", "aHVudGVy", "hunter2", strings.Repeat("A", 100), "\xff\xfe",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	var nobody *Redactor
	if got := nobody.Text("anything") + nobody.Tail("anything", 3) + new(Redactor).Text("more"); got != "anythinging"+"more" {
		t.Errorf("without secrets: %q", got)
	}
}

func TestOverlappingSecrets(t *testing.T) {
	r := New(map[string]string{"A_KEY": "abcdefgh", "B_KEY": "efghijkl", "C_KEY": "abcdefghijklmnop"})
	for text, want := range map[string]string{
		"<abcdefgh>":         "<[redacted A_KEY]>",
		"<abcdefghijkl>":     "<[redacted A_KEY]>", // both, joined
		"<abcdefghijklmnop>": "<[redacted C_KEY]>",
		"<abcdefghabcdefgh>": "<[redacted A_KEY][redacted A_KEY]>",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

func TestSecretsOfSeveralLines(t *testing.T) {
	pem := "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJq7\nnT2kHf3mZ0pQv9sLxY8wRb1d\n-----END PRIVATE KEY-----\n"
	r := New(map[string]string{"PRIVATE_KEY": pem})
	for _, text := range []string{
		pem, "  " + strings.ReplaceAll(pem, "\n", "\n  "), "line 3: nT2kHf3mZ0pQv9sLxY8wRb1d", strings.ReplaceAll(pem, "\n", `\n`),
		strings.ReplaceAll(pem, "\n", "\r\n"),
	} {
		if got := r.Text(text); strings.Contains(got, "MC4CAQ") || strings.Contains(got, "wRb1d") {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := r.Text("-----BEGIN PRIVATE KEY-----"); strings.Contains(got, "redacted") {
		t.Errorf("the frame of a key is no secret: %q", got)
	}
}

func TestVariables(t *testing.T) {
	r := &Redactor{}
	r.AddVariable("EDITOR", "some-editor")
	r.AddVariable("GITHUB_TOKEN", "ghp_0123456789")
	r.AddVariable("HTTPS_PROXY", "http://ann:open-sesame@proxy.example:3128")
	r.AddVariable("odd\x1b[31m_KEY", "value-of-odd")
	got := r.Text("some-editor ghp_0123456789 http://ann:open-sesame@proxy.example:3128 value-of-odd")
	want := "some-editor [redacted GITHUB_TOKEN] http://ann:[redacted HTTPS_PROXY]@proxy.example:3128 [redacted odd??31m_KEY]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCutSecrets: the start of a long secret that a message was cut in is hidden, too.
func TestCutSecrets(t *testing.T) {
	value := strings.Repeat("k3y/", 100)
	r := New(map[string]string{"API_KEY": value})
	if got := r.Text("got \"" + value[:200] + "…\""); got != `got "[redacted API_KEY]…"` {
		t.Errorf("got %s", got)
	}
	for _, encode := range encodings {
		text := strings.Repeat("x", 5000) + " " + encode(value) + " the end"
		for _, most := range []int{4, 20, 50, 200, 390, 410, 1000, 3000, len(text), len(text) + 1} {
			got := r.Tail(text, most)
			if !strings.HasSuffix(got, " end") {
				t.Errorf("the last %d bytes lost their end: %q", most, got)
			}
			if strings.Contains(got, "k3y/k3y") || strings.Contains(got, encode(value)[len(encode(value))-20:]) {
				t.Errorf("the last %d bytes hold a part of the secret: %q", most, got)
			}
		}
	}
}

func TestValue(t *testing.T) {
	r := New(map[string]string{"API_KEY": "hunter2!"})
	before := map[string]any{
		"text": "hunter2!", "list": []any{"a hunter2!", 7, nil, true}, "texts": []string{"hunter2!"},
		"nested": map[string]string{"x": "hunter2!"}, "raw": json.RawMessage(`{"a":"hunter2!"}`),
	}
	want := map[string]any{
		"text": "[redacted API_KEY]", "list": []any{"a [redacted API_KEY]", 7, nil, true}, "texts": []string{"[redacted API_KEY]"},
		"nested": map[string]string{"x": "[redacted API_KEY]"}, "raw": json.RawMessage(`{"a":"[redacted API_KEY]"}`),
	}
	if got := r.Value(before); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if before["text"] != "hunter2!" {
		t.Error("the value itself was changed")
	}
	secrets := &Redactor{}
	secrets.AddValue("login", map[string]any{"user": "ann", "passwords": []any{"open-sesame"}})
	if got := secrets.Text("ann open-sesame"); got != "ann [redacted login]" {
		t.Errorf("got %s", got)
	}
}

// TestTextIsFast: a text of a megabyte, also one made to be decoded again and again, takes no more than a moment.
func TestTextIsFast(t *testing.T) {
	r := &Redactor{}
	for i := range 50 {
		r.Add("KEY", fmt.Sprintf("%c-secret-%d", 'a'+i%26, i))
	}
	nested := strings.Repeat("word ", 1000)
	for len(nested) < 1<<19 {
		nested = base64encoding.StdEncoding.EncodeToString([]byte(strings.Repeat(nested, 2)))
	}
	for name, text := range map[string]string{
		"prose": strings.Repeat("The quick brown fox jumps over documentation\n", 1<<20/45), "digits": strings.Repeat("deadbeef", 1<<17),
		"escapes": strings.Repeat(`\u0041%41&#65;`, 1<<20/14), "nested": nested,
	} {
		began := time.Now()
		r.Text(text)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%d bytes of %s took %s", len(text), name, took)
		} else {
			t.Logf("%d bytes of %s took %s", len(text), name, took)
		}
	}
}

func BenchmarkText(b *testing.B) {
	r := New(map[string]string{"A_KEY": "abcdefghijk", "B_KEY": "0123456789", "C_KEY": "secret-of-c"})
	text := strings.Repeat("Traceback (most recent call last): File \"/srv/app/main.py\", line 12, in run\n", 54)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}

// FuzzText: whatever the text, what is left holds no secret, and a text without one is returned as it is.
func FuzzText(f *testing.F) {
	for _, value := range samples {
		f.Add(value, "before ", " after")
	}
	f.Fuzz(func(t *testing.T, value, before, after string) {
		value = strings.TrimSpace(value)
		if len(value) < minLength || strings.Contains("[redacted API_KEY]", value) || strings.ContainsAny(value, "[]\x00") {
			return
		}
		r := New(map[string]string{"API_KEY": value})
		for name, encode := range encodings {
			if name == "JSON" || name == "JSON \\u" || name == "JSON slash" || name == "JSON twice" || strings.HasPrefix(name, "HTML") {
				if !bytes.Equal([]byte(value), []byte(strings.ToValidUTF8(value, ""))) {
					continue // what cannot be encoded needs no decoding
				}
			}
			if got := r.Text(before + "\x00" + encode(value) + "\x00" + after); strings.Contains(got, "\x00"+encode(value)+"\x00") {
				t.Errorf("%s of %q survives: %q", name, value, got)
			}
		}
	})
}

func TestStarted(t *testing.T) {
	r := New(map[string]string{"KEY": "first line\nsecond line", "TOKEN": "secret-42"})
	for text, want := range map[string]int{
		"": 0, "nothing": 0, "the first line\n": 11, "the first line\nsec": 14, "first line\nsecond line": 0, "first line\nother": 0, "a secret-": 7, "xs": 1,
	} {
		if got := r.Started(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got := (*Redactor)(nil).Started("s"); got != 0 {
		t.Errorf("nil: %d", got)
	}
}
