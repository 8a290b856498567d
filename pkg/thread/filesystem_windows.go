package thread

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// hasSharedMemory asks whether the drive is in this machine: only there a mapped file is the same memory for every
// process.
func hasSharedMemory(dir string) bool {
	volume, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	return err != nil || windows.GetDriveType(volume) != windows.DRIVE_REMOTE
}
