package agent

import (
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/record"
)

// Files of a thread are its own: no other thread sees them. Paths are absolute and clean; folders are only what paths have
// in common.

// WriteFile stores a file of the thread.
func (s *State) WriteFile(ctx context.Context, name string, data []byte, mimeType string) error {
	name, err := filePath(name)
	if err != nil {
		return err
	}
	return s.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, s.thread); err != nil {
			return err
		}
		return storeFile(tx, s.thread, &Attachment{Path: name, Name: path.Base(name), MIMEType: mimeType, Data: append([]byte{}, data...)})
	})
}

// ReadFile returns a file of the thread.
func (s *State) ReadFile(ctx context.Context, name string) ([]byte, error) {
	name, err := cleanPath(name)
	if err != nil {
		return nil, err
	}
	return s.Runtime.ReadFile(ctx, s.thread, name)
}

// StatFile says what is known of a file, nil if there is none.
func (s *State) StatFile(ctx context.Context, name string) (*Attachment, error) {
	name, err := cleanPath(name)
	if err != nil {
		return nil, err
	}
	var a *Attachment
	err = s.storage.View(ctx, func(tx record.Reader) error {
		if _, err := loadThread(tx, s.thread); err != nil {
			return err
		}
		a, err = files.get(tx, s.thread, name)
		return err
	})
	return a, err
}

// Files lists the files below a folder, by path.
func (s *State) Files(ctx context.Context, folder string) ([]Attachment, error) {
	folder, err := cleanPath(folder)
	if err != nil {
		return nil, err
	}
	list := []Attachment{}
	err = s.storage.View(ctx, func(tx record.Reader) error {
		if _, err := loadThread(tx, s.thread); err != nil {
			return err
		}
		all, err := files.list(tx, s.thread, record.Range{})
		for _, a := range all {
			if folder == "/" || strings.HasPrefix(a.Path, folder+"/") || a.Path == folder {
				list = append(list, a)
			}
		}
		return err
	})
	return list, err
}

// RemoveFile removes a file and reports whether it was there.
func (s *State) RemoveFile(ctx context.Context, name string) (found bool, err error) {
	if name, err = cleanPath(name); err != nil {
		return false, err
	}
	err = s.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, s.thread); err != nil {
			return err
		}
		a, err := files.get(tx, s.thread, name)
		if found = err == nil && a != nil; !found {
			return err
		}
		if err := tx.Delete(record.Key{Thread: s.thread, Bucket: blobs, Name: name}); err != nil {
			return err
		}
		return files.delete(tx, s.thread, name)
	})
	return found && err == nil, err
}

// MoveFile gives a file another path. One that is there already is not replaced.
func (s *State) MoveFile(ctx context.Context, from, to string) error {
	from, err := cleanPath(from)
	if err != nil {
		return err
	}
	if to, err = filePath(to); err != nil {
		return err
	}
	return s.storage.Update(ctx, func(tx record.Tx) error {
		if _, err := loadLive(tx, s.thread); err != nil {
			return err
		}
		a, err := files.get(tx, s.thread, from)
		if err != nil {
			return err
		}
		there, err := files.get(tx, s.thread, to)
		switch {
		case err != nil:
			return err
		case a == nil:
			return item.Errorf(item.TypeNotFound, "thread %s has no file %q", s.thread, from)
		case there != nil:
			return item.Usagef("thread %s has a file %q already", s.thread, to)
		}
		if a.Data, err = readFile(tx, s.thread, from); err != nil {
			return err
		}
		a.Path, a.Name = to, path.Base(to)
		if err := storeFile(tx, s.thread, a); err != nil {
			return err
		}
		if err := tx.Delete(record.Key{Thread: s.thread, Bucket: blobs, Name: from}); err != nil {
			return err
		}
		return files.delete(tx, s.thread, from)
	})
}

func cleanPath(name string) (string, error) {
	if !utf8.ValidString(name) || strings.ContainsRune(name, 0) || !strings.HasPrefix(name, "/") || len(name) > 1024 {
		return "", item.Usagef("the path of a thread's file is absolute, like /notes/a.txt, not %s", item.Quote(name))
	}
	return path.Clean(name), nil
}

// filePath is the clean path of something that can be a file.
func filePath(name string) (string, error) {
	clean, err := cleanPath(name)
	if err == nil && (clean == "/" || strings.HasSuffix(name, "/")) {
		err = item.Usagef("%s names a folder, not a file", item.Quote(name))
	}
	return clean, err
}
