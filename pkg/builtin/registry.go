package builtin

// FileSystem are the file tools.
func FileSystem() Functions {
	return Functions{
		"file-system/edit_lines": editLines,
		"file-system/glob":       glob,
		"file-system/grep":       grep,
		"file-system/ls":         list,
		"file-system/read":       read,
		"file-system/write":      write,
	}
}
