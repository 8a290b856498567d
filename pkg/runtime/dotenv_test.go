package runtime

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

func TestParseDotEnv(t *testing.T) {
	for text, want := range map[string][]Variable{
		"":                                    nil,
		"A=1\nB=2\r\nC=3":                     {{"A", "1"}, {"B", "2"}, {"C", "3"}},
		"  A =  spaced out  ":                 {{"A", "spaced out"}},
		"A=":                                  {{"A", ""}},
		"A==x=y":                              {{"A", "=x=y"}},
		"export A=1\nexportB=2":               {{"A", "1"}, {"exportB", "2"}},
		"# A=1\n\n#B=2\nno equals\n=x":        nil,
		"A=b # comment\nB=b#no\nC=# all":      {{"A", "b"}, {"B", "b#no"}, {"C", ""}},
		`A="b # c" # comment`:                 {{"A", "b # c"}},
		`A="x\ny\t\"q\" \\ \$HOME \z"`:        {{"A", "x\ny\t\"q\" \\ $HOME \\z"}},
		`A='x\ny "q" $HOME'`:                  {{"A", `x\ny "q" $HOME`}},
		"A=\"one\ntwo\"\nB=3":                 {{"A", "one\ntwo"}, {"B", "3"}},
		"A='one\ntwo\nB=9'\nB=3":              {{"A", "one\ntwo\nB=9"}, {"B", "3"}},
		"A=${HOME}\nB=$HOME `id` $(id) {x}":   {{"A", "${HOME}"}, {"B", "$HOME `id` $(id) {x}"}},
		`A="${HOME}"`:                         {{"A", "${HOME}"}},
		"A=\u00a0\"x\"":                       {{"A", "x"}},
		"A=it's":                              {{"A", "it's"}},
		"1A=x\nA-B=x\nA B=x\nÄ=x\n_a1=ok":     {{"_a1", "ok"}},
		"\ufeffA=1":                           {{"A", "1"}},
		"A=1\nA=2":                            {{"A", "1"}, {"A", "2"}},
		"A=\"\"\nB=''":                        {{"A", ""}, {"B", ""}},
		"A=\"1\" trailing is dropped\nB=2\n ": {{"A", "1"}, {"B", "2"}},
	} {
		if got, err := parseDotEnv(".env", []byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestParseDotEnvRefuses(t *testing.T) {
	for text, message := range map[string]string{
		"A=1\nB=\"open\nC=2":                  ".env:2:3: a quote that is never closed",
		"A='open":                             ".env:1:3: a quote that is never closed",
		`A="open\"`:                           ".env:1:3: a quote that is never closed",
		"A=1\nB=x\x00y":                       ".env:2:4: a NUL byte",
		strings.Repeat("A=12345678\n", 1<<17): ".env is larger than 1048576 bytes",
	} {
		vars, err := parseDotEnv(".env", []byte(text))
		if err == nil || err.Error() != message || item.TypeOf(err) != item.TypeUsage || vars != nil {
			t.Errorf("%.40q: got %v, %v", text, vars, err)
		}
	}
}

// A `.env` that would fill the memory is refused before it is read.
func TestHugeDotEnvIsNotRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".env")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Skipf("no file with a hole of this size here: %v", err)
	}
	data, err := readStart(file, maxDotEnv+1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseDotEnv(".env", data); item.TypeOf(err) != item.TypeUsage || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %v", err)
	}
}

// FuzzDotEnv: whatever the file, there is no panic, every name is one, and every value without a quote or a backslash
// in the file stands there byte for byte: nothing is expanded.
func FuzzDotEnv(f *testing.F) {
	for _, seed := range []string{
		"A=1\nB=2", `A="x\n${HOME}" # c`, "A='x\ny'", "export A=$(id)", "\ufeff=\n#", "A=\"", "A=\u00a0\"x\"", "A= \t'", "A\v=\f\"\x85\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		vars, err := parseDotEnv(".env", data)
		if err != nil && vars != nil {
			t.Errorf("an error with variables %q", vars)
		}
		for _, v := range vars {
			if !isVariableName(v.Name) || !strings.Contains(string(data), v.Name) {
				t.Errorf("the name %q", v.Name)
			}
			if !strings.Contains(string(data), `\`) && !strings.Contains(string(data), v.Value) {
				t.Errorf("the value %q is not in the file", v.Value)
			}
			if strings.ContainsRune(v.Value, 0) {
				t.Errorf("the value %q holds NUL", v.Value)
			}
		}
	})
}
