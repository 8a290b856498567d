//go:build unix

package agent_test

import (
	"testing"

	"github.com/ryeos/rye/internal/agenttest"
)

// TestFence stops the process that runs a thread until another one has taken it over.
func TestFence(t *testing.T) {
	if err := agenttest.CheckFence(t.TempDir(), startCopy(t)); err != nil {
		t.Fatal(err)
	}
}
