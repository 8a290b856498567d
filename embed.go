// Package rye holds the system space: the `.ai` folder that ships inside the binary.
package rye

import (
	"embed"
	"io/fs"
)

// The all: prefix keeps names that start with _ or . , such as __init__.py.
//
//go:embed all:.ai
var system embed.FS

// System is a file system that holds the system space's `.ai` folder.
func System() fs.FS { return system }
