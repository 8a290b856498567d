package thread

import "io/fs"

const neverWait = 0

// names counts one: a file's information does not say more, and a checkout makes no hard links.
func names(fs.FileInfo) uint64 { return 1 }
