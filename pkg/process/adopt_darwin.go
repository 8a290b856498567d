package process

// awaitOther returns when a process that is no child of this one has ended.
func awaitOther(pid int) { awaitExit(pid) }

func rebrand(int, string) {}
