package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/viper"

	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// preferences are the person's own settings: $XDG_CONFIG_HOME/rye/config.yaml, overridden by RYE_* variables and then by
// flags. Project files have no say in them.
type preferences struct {
	output      string
	env         string
	acceptV1    bool          // trust.accept_v1
	ignoreModes bool          // trust.ignore_file_modes
	pin         bool          // execution.pin
	keepMCP     time.Duration // mcp.keep_alive
	keepPython  time.Duration // python.keep_alive
}

func (a *app) preferences() (*preferences, error) {
	if a.prefs != nil {
		return a.prefs, nil
	}
	v := viper.New()
	v.SetEnvPrefix("RYE")
	v.SetEnvKeyReplacer(strings.NewReplacer(".", "_"))
	v.AutomaticEnv()
	if dir, err := os.UserConfigDir(); err == nil {
		v.SetConfigFile(filepath.Join(dir, "rye", "config.yaml"))
		if err := v.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, item.Usagef("reading your preferences %s: %w", v.ConfigFileUsed(), err)
		}
	}
	p := &preferences{output: v.GetString("output"), env: v.GetString("env"), acceptV1: v.GetBool("trust.accept_v1"),
		ignoreModes: v.GetBool("trust.ignore_file_modes"), pin: v.GetBool("execution.pin")}
	var err error
	if p.keepMCP, err = keepAlive(v, "mcp.keep_alive"); err != nil {
		return nil, err
	}
	if p.keepPython, err = keepAlive(v, "python.keep_alive"); err != nil {
		return nil, err
	}
	if !isFormat(p.output) {
		return nil, item.Usagef("unknown output format %s in RYE_OUTPUT or your config.yaml: use auto, text, json or yaml", item.Quote(p.output))
	}
	a.prefs = p
	return p, nil
}

// keepAlive is how long something stays between calls. On a machine that builds and tests nobody comes back for it.
func keepAlive(v *viper.Viper, key string) (time.Duration, error) {
	text := v.GetString(key)
	if text == "" && os.Getenv("CI") != "" {
		return 0, nil
	}
	d, err := engine.ParseKeepAlive(text)
	if err != nil {
		return 0, item.Usagef("%s in your config.yaml or environment: %w", key, err)
	}
	return d, nil
}

// environmentMode is --env, else the preference. Preferences may have been read before that flag was.
func (a *app) environmentMode(p *preferences) (string, error) {
	mode := cmp.Or(a.flags.env, p.env, "inherit")
	if mode != "inherit" && mode != "minimal" {
		return "", item.Usagef("unknown environment mode %s: use inherit or minimal", item.Quote(mode))
	}
	return mode, nil
}
