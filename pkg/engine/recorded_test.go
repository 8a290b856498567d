package engine

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
)

func TestRecordedStreamsKeepStartAndEnd(t *testing.T) {
	long := "the start" + strings.Repeat("é", recordedLength) + "the end"
	resp := &item.Response{Status: item.StatusSuccess, Data: &item.Streams{Stdout: long, Stderr: "short"}}
	var doc struct{ Data item.Streams }
	if err := json.Unmarshal(recordable(resp, nil), &doc); err != nil {
		t.Fatal(err)
	}
	got := doc.Data
	if len(got.Stdout) > recordedLength+200 || !utf8.ValidString(got.Stdout) || strings.Contains(got.Stdout, "\uFFFD") {
		t.Errorf("%d bytes are recorded, or characters were cut", len(got.Stdout))
	}
	if !strings.HasPrefix(got.Stdout, "the startéé") || !strings.HasSuffix(got.Stdout, "éthe end") || !got.Truncated || got.Stderr != "short" {
		t.Errorf("recorded: %.50q…%.50q, %v, %q", got.Stdout, got.Stdout[len(got.Stdout)-50:], got.Truncated, got.Stderr)
	}
	if resp.Data.(*item.Streams).Stdout != long {
		t.Error("the response itself was changed")
	}
}

func TestRecordedDocumentsStayWhole(t *testing.T) {
	long := json.RawMessage(`{"text":"` + strings.Repeat("x", 2*recordedLength) + `"}`)
	resp := &item.Response{Status: item.StatusSuccess, Data: long}
	if got := recordable(resp, nil); !strings.Contains(string(got), string(long)) {
		t.Errorf("a JSON result of %d bytes was recorded as %d bytes", len(long), len(got))
	}
}
