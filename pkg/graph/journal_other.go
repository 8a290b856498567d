//go:build !linux

package graph

import "os"

func syncData(file *os.File) error { return file.Sync() }
