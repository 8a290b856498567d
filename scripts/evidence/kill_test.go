//go:build linux

package main

import "testing"

func TestKillFigures(t *testing.T) { try(t, killFigures) }
