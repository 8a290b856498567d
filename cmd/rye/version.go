package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the build (-ldflags -X main.version=…).
var version = ""

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print rye's version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.showVersion() },
	}
}

func (a *app) showVersion() error {
	v := currentVersion()
	if a.format() != formatText {
		return a.print(map[string]string{
			"version": v, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	a.line("rye %s %s/%s %s", v, runtime.GOOS, runtime.GOARCH, runtime.Version())
	return nil
}

func currentVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
