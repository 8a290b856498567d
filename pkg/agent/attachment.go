package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"mime"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// MaxFile is the size of a thread's file.
const MaxFile = 32 << 20

// attachmentFolder holds what came with messages, in the files of a thread.
const attachmentFolder = "/attachments/"

// Attachment is a file of a thread that belongs to a message.
type Attachment struct {
	Path        string `json:"path"`
	Name        string `json:"name,omitempty"`
	MIMEType    string `json:"mime_type,omitempty"`
	Size        int64  `json:"size"`
	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	Description string `json:"description,omitempty"` // instead of a picture that is too old to be shown
	Data        []byte `json:"-"`                     // of one that is not stored yet
}

// blobs are the bytes of files.
const blobs = "blob"

const maxStem = 64 // bytes of a file's name that a copy in another thread keeps

// keep stores attachments that are not files yet, and finds those that are.
func (r *Runtime) keep(tx record.Tx, thread string, list []Attachment) ([]Attachment, error) {
	kept := make([]Attachment, 0, len(list))
	for _, a := range list {
		if a.Data == nil {
			stored, err := files.get(tx, thread, a.Path)
			if err == nil && stored == nil {
				err = item.Errorf(item.TypeNotFound, "thread %s has no file %q: attachments are files below %s", thread, a.Path, attachmentFolder)
			}
			if err != nil {
				return nil, err
			}
			kept = append(kept, *stored)
			continue
		}
		a.Path = fmt.Sprintf("%s%d-%s%s", attachmentFolder, r.now().UnixMilli(), random(), extension(a.Name, a.MIMEType))
		if err := storeFile(tx, thread, &a); err != nil {
			return nil, err
		}
		kept = append(kept, a)
	}
	return kept, nil
}

func storeFile(tx record.Tx, thread string, a *Attachment) error {
	if len(a.Data) > MaxFile {
		return item.Errorf(item.TypeLimit, "the file %s has %d bytes, more than %d (MaxFile)", a.Path, len(a.Data), MaxFile)
	}
	a.Size = int64(len(a.Data))
	if a.MIMEType == "" {
		a.MIMEType = mime.TypeByExtension(path.Ext(a.Path))
	}
	if err := tx.Put(record.Key{Thread: thread, Bucket: blobs, Name: a.Path}, a.Data); err != nil {
		return err
	}
	a.Data = nil
	return files.put(tx, thread, a.Path, a)
}

// readFile returns a file's bytes, nil if there is none.
func readFile(tx record.Reader, thread, name string) ([]byte, error) {
	return tx.Get(record.Key{Thread: thread, Bucket: blobs, Name: name})
}

// copyFiles copies attachments into another thread, where the paths of the first mean nothing (seed 004 §8). What is gone
// at its source is left out.
func copyFiles(tx record.Tx, from, to string, list []Attachment) ([]Attachment, error) {
	copied := make([]Attachment, 0, len(list))
	for _, a := range list {
		data, err := readFile(tx, from, a.Path)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		base := path.Base(a.Path)
		stem := strings.TrimSuffix(base, path.Ext(base))
		a.Path = fmt.Sprintf("%s%s-%s%s", attachmentFolder, prefix(stem, maxStem), random(), extension(base, a.MIMEType))
		a.Data = data
		if err := storeFile(tx, to, &a); err != nil {
			return nil, err
		}
		copied = append(copied, a)
	}
	return copied, nil
}

func random() string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x", b)
}

// plain are extensions that mean nothing to a file system, a shell or JSON.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.[A-Za-z0-9]{1,15}$`) })

func extension(name, mimeType string) string {
	if ext := path.Ext(name); plain().MatchString(ext) {
		return strings.ToLower(ext)
	}
	if list, _ := mime.ExtensionsByType(mimeType); len(list) > 0 {
		return list[0]
	}
	return ".bin"
}

// attach turns attachments into parts of entries: pictures of the newest messages for models that see, and what is known
// of the others as text.
func (f *flow) attach(entries []Entry, prompt *Prompt, model *Model) error {
	recent := prompt.RecentImages
	if recent == 0 {
		recent = DefaultImages
	}
	return f.storage.View(f.ctx, func(tx record.Reader) error {
		for i := range entries {
			e := &entries[i]
			if e.message == nil || len(e.message.Attachments) == 0 {
				continue
			}
			see := model.Vision && len(entries)-i <= recent
			for _, a := range e.message.Attachments {
				if err := f.attachOne(tx, e, a, see); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (f *flow) attachOne(tx record.Reader, e *Entry, a Attachment, see bool) error {
	if strings.HasPrefix(a.MIMEType, "image/") && see {
		data, err := readFile(tx, f.thread.ID, a.Path)
		if err != nil {
			return err
		}
		if data != nil {
			if len(e.Parts) == 0 && e.Text != "" {
				e.Parts = []Part{{Text: e.Text}}
			}
			e.Parts = append(e.Parts, Part{MIMEType: a.MIMEType, Name: a.Path, Data: data})
			return nil
		}
	}
	said := a.Path
	if a.Description != "" {
		said += ": " + a.Description
	}
	said = fmt.Sprintf("[attachment %s (%s)]", said, a.MIMEType)
	if len(e.Parts) > 0 {
		e.Parts = append(e.Parts, Part{Text: said})
		return nil
	}
	if !strings.Contains(e.Text, a.Path) {
		e.Text = strings.TrimLeft(e.Text+"\n"+said, "\n")
	}
	return nil
}

// withoutPictures says what pictures there were, to a model that cannot see them and answers for one that can.
func withoutPictures(entries []Entry) []Entry {
	entries = slices.Clone(entries)
	for i := range entries {
		e := &entries[i]
		if len(e.Parts) == 0 {
			continue
		}
		said := make([]string, len(e.Parts))
		for j, part := range e.Parts {
			if said[j] = part.Text; part.Data != nil {
				said[j] = fmt.Sprintf("[attachment %s (%s)]", part.Name, part.MIMEType)
			}
		}
		e.Text, e.Parts = strings.Join(said, "\n"), nil
	}
	return entries
}

// ReadFile returns a file of a thread.
func (r *Runtime) ReadFile(ctx context.Context, thread, name string) ([]byte, error) {
	var data []byte
	err := r.storage.View(ctx, func(tx record.Reader) (err error) {
		if _, err = loadThread(tx, thread); err != nil {
			return err
		}
		data, err = readFile(tx, thread, name)
		if err == nil && data == nil {
			err = item.Errorf(item.TypeNotFound, "thread %s has no file %q", thread, name)
		}
		return err
	})
	return data, err
}
