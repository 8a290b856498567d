//go:build linux

package main

import "testing"

func TestGraphFigures(t *testing.T) { try(t, graphFigures) }
