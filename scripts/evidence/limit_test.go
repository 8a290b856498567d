//go:build linux

package main

import "testing"

func TestLimitFigures(t *testing.T) { try(t, limitFigures) }
