package engine

import "github.com/ryeos/rye/pkg/process"

func victimOf(id process.Identity) victim { return victim{id: id} }

// terminate does nothing: Windows has no way to ask, and the grace is the time to end by itself.
func (v victim) terminate() error { return nil }

func (v victim) kill() error { return v.id.Kill() }

func groupAlive(int) bool { return false }
