package agent_test

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ryeos/rye/internal/agenttest"
	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// TestOldPictures: a picture that is further back than the prompt's threshold is described, for this request only.
func TestOldPictures(t *testing.T) {
	for name, c := range map[string]struct{ threshold, messages, shown int }{
		"as many messages as by default": {0, agent.DefaultImages, 1},
		"one more":                       {0, agent.DefaultImages + 1, 0},
		"as many as the prompt says":     {3, 3, 1},
		"more than the prompt says":      {3, 5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := &agenttest.Provider{Answer: func(int, agent.Request) agenttest.Reply { return agenttest.Say("fine") }}
			w := agenttest.New(t, record.NewMemory(), p, nil)
			w.Catalog.Models["model"].Vision = true
			w.Catalog.Prompts["helper"].RecentImages = c.threshold
			id := w.Thread("helper")
			a := agent.Attachment{Name: "cat.png", MIMEType: "image/png", Data: picture, Description: "a cat"}
			if _, err := w.State(id).Inject(t.Context(), agent.Message{Role: agent.User, Content: "see", Attachments: []agent.Attachment{a}}); err != nil {
				t.Fatal(err)
			}
			for n := range c.messages - 1 {
				send(w, id, fmt.Sprint(n))
			}
			run(w, id)
			e := p.Requests()[0].Messages[0]
			stored := w.Rows(id)[0].Attachments[0]
			if shown := len(e.Parts) == 2 && bytes.Equal(e.Parts[1].Data, picture); shown != (c.shown == 1) {
				t.Errorf("the picture is shown: %v", e)
			}
			if c.shown == 0 && e.Text != "see\n[attachment "+stored.Path+": a cat (image/png)]" {
				t.Errorf("the picture is described as %q", e.Text)
			}
			if stored.Description != "a cat" || stored.Size != int64(len(picture)) {
				t.Errorf("stored is %+v", stored)
			}
		})
	}
}

// TestAttachmentPaths are names that are nobody else's and harmless everywhere.
func TestAttachmentPaths(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(), nil)
	s := w.State(w.Thread("helper"))
	harmless := regexp.MustCompile(`^/attachments/[0-9]+-[0-9a-f]{8}\.[a-z0-9]{1,15}$`)
	seen := map[string]bool{}
	for name, ext := range map[string]string{
		"cat.PNG": ".png", "a.tar.gz": ".gz", "no extension": ".bin", "../../etc/passwd": ".bin", "a.b/c": ".bin", "x.\xff": ".bin", "x.a b": ".bin",
		"x." + strings.Repeat("y", 300): ".bin", "": ".bin", "e.": ".bin",
	} {
		m, err := s.Inject(t.Context(), agent.Message{Role: agent.User, Attachments: []agent.Attachment{{Name: name, Data: []byte{}}}})
		if err != nil {
			t.Fatal(err)
		}
		got := m.Attachments[0].Path
		if !harmless.MatchString(got) || path.Ext(got) != ext || seen[got] {
			t.Errorf("%q is stored as %q", name, got)
		}
		seen[got] = true
	}
}

// TestAttachmentsAreRefused: files that are not there, and those that are too large. Nothing of the message is stored.
func TestAttachmentsAreRefused(t *testing.T) {
	w := agenttest.New(t, record.NewMemory(), agenttest.Script(), nil)
	id := w.Thread("helper")
	for want, a := range map[item.ErrorType]agent.Attachment{
		item.TypeNotFound: {Path: "/attachments/gone.png"},
		item.TypeLimit:    {Name: "large", Data: make([]byte, agent.MaxFile+1)},
	} {
		small := agent.Attachment{Name: "small", Data: []byte("x")}
		if _, err := w.Send(t.Context(), id, agent.Outgoing{Content: "see", Attachments: []agent.Attachment{small, a}}); item.TypeOf(err) != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	if list, err := w.State(id).Files(t.Context(), "/"); err != nil || len(list) != 0 || len(w.Rows(id)) != 0 {
		t.Errorf("files %+v, rows %v, %v", list, w.Rows(id), err)
	}
}

// TestCopiedNames: a copy in another thread keeps the beginning of its name, in whole characters, however often it is copied.
func TestCopiedNames(t *testing.T) {
	name := "/attachments/" + strings.Repeat("ü", 40) + ".txt" // the 64th byte is in the middle of a character
	w := family(t, record.NewMemory(), agent.Tool{Name: "worker", InitMessage: "m", InitAttachments: "files"}, casting{
		"helper": {agenttest.Use("worker", fmt.Sprintf(`{"m":"look","files":[%q]}`, name)), agenttest.Say("ok")}, "worker": {finish("done")}})
	id := w.Thread("helper")
	if err := w.State(id).WriteFile(t.Context(), name, []byte("deep"), "text/plain"); err != nil {
		t.Fatal(err)
	}
	w.Say(id, "work")
	child := w.State(onlyChild(w, id).Reference)
	list, err := child.Files(t.Context(), "/attachments")
	if err != nil || len(list) != 1 {
		t.Fatalf("files %+v, %v", list, err)
	}
	copied := list[0].Path
	if !regexp.MustCompile(`^/attachments/ü{32}-[0-9a-f]{8}\.txt$`).MatchString(copied) || !utf8.ValidString(copied) {
		t.Errorf("the copy is %q", copied)
	}
	if data, err := child.ReadFile(t.Context(), copied); err != nil || string(data) != "deep" {
		t.Errorf("the copy is %q, %v", data, err)
	}
}
