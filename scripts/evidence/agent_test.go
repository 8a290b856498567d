//go:build linux

package main

import "testing"

func TestAgentFigures(t *testing.T) { try(t, agentFigures) }
