package item

import (
	"strings"
	"testing"
	"testing/quick"
)

func TestCleanText(t *testing.T) {
	same := func(data []byte, ascii string) bool {
		text := ascii + string(data) + "ä" + string(data) + "\xff" + ascii
		return CleanText(text) == strings.ToValidUTF8(text, "\uFFFD")
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "\xff", "a\xff\xfeb", "\xe2\x82", "ok", "\xffa\xff"} {
		if got, want := CleanText(text), strings.ToValidUTF8(text, "\uFFFD"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
