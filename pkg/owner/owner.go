// Package owner tells who else on a machine could have written a file.
package owner

import (
	"io/fs"
	"os"
)

// Exposure is why a file or folder is not the user's alone, and the command, without its last argument, that makes it so.
type Exposure struct{ Reason, Command string }

// Exposed judges what others can do to a file or folder. The user and root are trusted: whoever is root can do anything
// anyway. A folder that everybody can write is none of the user's alone either, unless it is sticky, as /tmp is: there
// nobody can exchange what belongs to another. Groups are left alone: where everyone's default group has one member,
// files that it can write are the rule. The zero Exposure is good.
func Exposed(info fs.FileInfo) Exposure { return exposed(info, os.Geteuid()) }

// exposed takes the user as an argument for its tests. Root reads other people's files all the time.
func exposed(info fs.FileInfo, me int) Exposure {
	if uid, known := ownerOf(info); known && uid != 0 && me != 0 && uid != me {
		return Exposure{"belongs to another user of this machine", "sudo chown \"$(id -u)\""}
	}
	sticky := info.IsDir() && info.Mode()&fs.ModeSticky != 0
	if hasModes && info.Mode().Perm()&0o002 != 0 && !sticky {
		return Exposure{"can be changed by every user of this machine", "chmod o-w"}
	}
	return Exposure{}
}
