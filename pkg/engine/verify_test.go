package engine_test

import (
	"strings"
	"testing"

	"github.com/ryeos/rye/internal/ryetest"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/integrity"
	"github.com/ryeos/rye/pkg/item"
)

func verify(t *testing.T, e *engine.Engine, req engine.VerifyRequest) *engine.Report {
	t.Helper()
	report, err := e.Verify(req)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestVerifyReport(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Tool("good.yaml", soundTool(""))
	w.Project.Tool("edited.yaml", soundTool(""))
	w.Project.Write(".ai/tools/unsigned.yaml", soundTool(""))
	w.User.Tool("mine.yaml", soundTool(""))
	file := w.Project.Tool("moved.yaml", soundTool(""))
	rename(t, file, strings.Replace(file, "moved", "elsewhere", 1))
	appendLine(t, w.Project.Path(".ai/tools/edited.yaml"), "# edited")

	report := verify(t, w.Engine(), engine.VerifyRequest{})
	wantStates(t, w, "the project's", report, map[string]string{
		"tools/good.yaml": "verified", "tools/edited.yaml": "failed", "tools/unsigned.yaml": "failed", "tools/elsewhere.yaml": "failed",
	})
	if report.Status != "error" || report.Failed != 3 || report.Summary != "1/4 verified, 3 failed" {
		t.Errorf("%s: %s", report.Status, report.Summary)
	}
	for _, r := range report.Results {
		if r.State == "failed" && (r.ErrorType != item.TypeIntegrity || len(r.Hints) == 0) {
			t.Errorf("%s: %s error %q, hints %q", r.ItemID, r.ErrorType, r.Error, r.Hints)
		}
		if r.State == "verified" && (r.Signature == nil || r.Signature.Signer != w.Key.Public().Fingerprint() || r.Signature.Timestamp != "2026-03-04T05:06:07Z") {
			t.Errorf("%s: signature %+v", r.ItemID, r.Signature)
		}
	}
	if report := verify(t, w.Engine(), engine.VerifyRequest{Patterns: []string{"tool:mine", "tool:rye/bash"}}); report.Failed != 0 || report.Total != 2 {
		t.Errorf("by reference: %s", report.Summary)
	}
	if report := verify(t, w.Engine(), engine.VerifyRequest{All: true}); report.Failed != 3 || report.Total < 10 {
		t.Errorf("every space: %s", report.Summary)
	}
}

// A key document in the project counts only if someone who is trusted signed it; the others are listed.
func TestVerifyListsIgnoredKeys(t *testing.T) {
	w := ryetest.New(t)
	stranger, err := integrity.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := integrity.TrustDocument(stranger.Public(), "mallory", "", stranger, ryetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	file := w.Project.Write(".ai/config/keys/trusted/"+stranger.Public().Fingerprint()+".toml", string(doc))
	own := w.Key
	w.Key = stranger
	w.Project.Tool("x.yaml", soundTool(""))
	w.Key = own

	report := verify(t, w.Engine(), engine.VerifyRequest{})
	if report.Failed != 1 || !strings.HasPrefix(report.Results[0].Error, "Untrusted key "+stranger.Public().Fingerprint()) {
		t.Errorf("%+v", report.Results)
	}
	if len(report.Ignored) != 1 || report.Ignored[0].Path != file || report.Ignored[0].Hint != "rye keys trust "+file {
		t.Errorf("ignored %+v", report.Ignored)
	}
	w.Project.Trust(stranger) // now signed by a key that the user trusts
	if report := verify(t, w.Engine(), engine.VerifyRequest{}); report.Failed != 0 || len(report.Ignored) != 0 {
		t.Errorf("%+v", report)
	}
}

func TestVerifyInDevMode(t *testing.T) {
	w := ryetest.New(t)
	w.Project.Write(".ai/tools/sh.yaml", shellTool())
	var warned []string
	e := w.Engine(func(o *engine.Options) {
		o.DevMode, o.Warn = true, func(message string) { warned = append(warned, message) }
	})
	report := verify(t, e, engine.VerifyRequest{})
	wantStates(t, w, "dev mode", report, map[string]string{"tools/sh.yaml": "waived"})
	if report.Status != "success" || report.Summary != "0/1 verified, 1 waived by dev mode" {
		t.Errorf("%s: %s", report.Status, report.Summary)
	}
	warned = nil
	resp := execute(t, e, item.Request{Ref: "sh", Parameters: map[string]any{"command": "echo '{}'"}})
	if resp.Failed() || len(warned) != 1 || len(resp.Warnings) != 1 || !strings.HasPrefix(resp.Warnings[0], "Unsigned item: ") {
		t.Errorf("%+v, warned %q", resp, warned)
	}
}
