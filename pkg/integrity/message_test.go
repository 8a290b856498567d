package integrity

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/pkg/item"
)

// TestMessage pins the signed bytes: changing them would make every signature in the world invalid.
func TestMessage(t *testing.T) {
	line := Line{Version: 2, SignedAt: signedAt, Signer: "0123456789abcdef"}
	copy(line.Digest[:], strings.Repeat("D", 32))
	want := "\x00\x00\x00\x00\x00\x00\x00\x0brye-item-v2" +
		"\x00\x00\x00\x00\x00\x00\x00\x04tool" +
		"\x00\x00\x00\x00\x00\x00\x00\x07my/x.py" +
		"\x00\x00\x00\x00\x00\x00\x00\x142026-03-04T05:06:07Z" +
		"\x00\x00\x00\x00\x00\x00\x00\x20DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD" +
		"\x00\x00\x00\x00\x00\x00\x00\x100123456789abcdef"
	if got := string((identity{item.Tool, "my/x.py"}).message(line)); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}
