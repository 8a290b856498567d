//go:build !linux && !darwin

package keeper

import (
	"io/fs"
	"net"
	"os"
)

type folder struct {
	*os.File
	dir string
}

func openFolder(string) (*folder, error)             { return nil, ErrUnsupported }
func (f *folder) path(name string) string            { return name }
func (f *folder) openLock() (*os.File, error)        { return nil, ErrUnsupported }
func ownerOf(fs.FileInfo) (uid int, known bool)      { return 0, false }
func peerOf(*net.UnixConn) (uid, pid int, err error) { return 0, 0, ErrUnsupported }
func rights() string                                 { return "" }
func duplicate(*os.File) (*os.File, error)           { return nil, ErrUnsupported }
func redirect(from, to *os.File) error               { return ErrUnsupported }
