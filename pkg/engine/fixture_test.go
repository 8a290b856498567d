package engine_test

import (
	"os"
	"testing"
)

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func appendLine(t *testing.T, file, line string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, append(data, line+"\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
