package owner

import "io/fs"

// Windows has access lists, which mode bits do not show.
const hasModes = false

func ownerOf(fs.FileInfo) (uid int, known bool) { return 0, false }
