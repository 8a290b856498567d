package builtin

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// syncFile waits for the disk. Tests replace it: they would do little else.
var syncFile = (*os.File).Sync

// protected are the folders that file tools never write: whoever can change the trusted keys, or the record of what ran,
// decides what rye trusts and reports.
var protected = []string{".ai/config/keys", ".ai/state"}

// checkWritable refuses a resolved path at or below a protected folder. Besides the name it compares the folders
// themselves, since case-insensitive file systems and links give one folder several names.
func (w *workspace) checkWritable(rel string) error {
	for _, folder := range protected {
		names := []string{folder}
		if real, err := w.resolve(folder); err == nil {
			names = append(names, real)
		}
		info, statErr := w.root.Stat(folder)
		for at := rel; at != "."; at = path.Dir(at) {
			for _, name := range names {
				if strings.EqualFold(at, name) {
					return errProtected(rel)
				}
			}
			if statErr != nil {
				continue
			}
			if here, err := w.root.Stat(at); err == nil && os.SameFile(info, here) {
				return errProtected(rel)
			}
		}
	}
	return nil
}

func errProtected(rel string) error {
	return failuref("Path is protected: %s (file tools cannot write below %s)", printable(rel), strings.Join(protected, " or "))
}

// replaceFile gives a file new content in one step: readers and a crash see the old content or the new, never a part.
// An existing file keeps its permission bits; a new one gets 0644 less the umask, and its folders are made.
// durable content is on disk when replaceFile returns; a cache can do without the wait.
func (w *workspace) replaceFile(rel string, data []byte, durable bool) error {
	if err := w.checkWritable(rel); err != nil {
		return err
	}
	info, err := w.root.Lstat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
		if err := w.root.MkdirAll(path.Dir(rel), 0o755); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if err := checkRegular(rel, info); err != nil {
			return err
		}
		// A rename needs no write permission on the file it replaces, yet its owner said no.
		if info.Mode().Perm()&0o222 == 0 {
			return failuref("File is read-only: %s", printable(rel))
		}
	}
	temp := path.Join(path.Dir(rel), ".rye-"+rand.Text()+".tmp")
	if err := w.writeTemp(temp, info, data, durable); err != nil {
		return errors.Join(err, ignoreMissing(w.root.Remove(temp)))
	}
	if err := w.root.Rename(temp, rel); err != nil {
		return errors.Join(err, ignoreMissing(w.root.Remove(temp)))
	}
	if durable {
		w.syncFolder(path.Dir(rel))
	}
	return nil
}

// writeTemp makes a file with data, and with the permission bits of like unless that is nil.
func (w *workspace) writeTemp(temp string, like fs.FileInfo, data []byte, durable bool) (err error) {
	perm := fs.FileMode(0o644)
	if like != nil {
		perm = like.Mode().Perm()
	}
	f, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if like != nil { // once more, without the umask
		if err := f.Chmod(perm); err != nil {
			return err
		}
	}
	if durable {
		return syncFile(f)
	}
	return nil
}

// syncFolder makes a rename survive a power cut where the system can sync folders at all; where it cannot, the content is
// in place all the same and there is nothing to tell the caller.
func (w *workspace) syncFolder(rel string) {
	if d, err := w.open(rel); err == nil {
		_ = syncFile(d)
		d.Close()
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
