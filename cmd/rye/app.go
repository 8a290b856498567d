package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/ryeos/rye"
	"github.com/ryeos/rye/pkg/engine"
	"github.com/ryeos/rye/pkg/item"
)

// streams are the program's three files.
type streams struct{ stdin, stdout, stderr *os.File }

// app is what the commands share: streams, global flags, and an engine that is made when a command asks for it, so
// that `rye help` opens nothing.
type app struct {
	streams
	flags     globalFlags
	exit      exitCode
	eng       *engine.Engine
	prefs     *preferences
	unwritten error // why text output was lost, if it was
}

// globalFlags are the flags of every command (design §5).
type globalFlags struct {
	project string
	output  string
	env     string
	noColor bool
	verbose bool
	quiet   bool
}

func (g *globalFlags) add(fs *pflag.FlagSet) {
	fs.StringVarP(&g.project, "project-path", "p", "", "project `folder` (default: the nearest parent with .ai, else the current folder)")
	fs.StringVarP(&g.output, "output", "o", "", "output `format`: auto, text, json or yaml (auto is text on a terminal, JSON otherwise)")
	fs.StringVar(&g.env, "env", "", "environment `mode` of tools: inherit or minimal")
	fs.BoolVar(&g.noColor, "no-color", false, "no colours")
	fs.BoolVarP(&g.verbose, "verbose", "v", false, "say more")
	fs.BoolVarP(&g.quiet, "quiet", "q", false, "no summaries and no warnings")
}

// engine makes the engine on first use.
func (a *app) engine() (*engine.Engine, error) {
	if a.eng != nil {
		return a.eng, nil
	}
	cfg, err := a.preferences()
	if err != nil {
		return nil, err
	}
	environment, err := a.environmentMode(cfg)
	if err != nil {
		return nil, err
	}
	user, err := userBase()
	if err != nil {
		return nil, err
	}
	project, err := a.projectFolder(user)
	if err != nil {
		return nil, err
	}
	binary, err := os.Executable()
	if err != nil {
		a.warn("the rye program does not find itself: " + err.Error()) // not everything needs it
		binary = ""
	}
	a.eng, err = engine.New(engine.Options{
		Project: project, User: user, System: rye.System(), Cache: cacheFolder(), KeyDir: os.Getenv("RYE_SIGNING_KEY_DIR"),
		Binary: binary, Env: os.Environ(), Minimal: environment == "minimal", DevMode: os.Getenv("RYE_DEV_MODE") == "1",
		AcceptV1: cfg.acceptV1, IgnoreModes: cfg.ignoreModes, Pin: cfg.pin, Warn: a.warn,
		Thread: os.Getenv(engine.ParentThread), Version: currentVersion(),
		MCPKeepAlive: cfg.keepMCP, PythonKeepAlive: cfg.keepPython, Note: a.detail,
	})
	return a.eng, err
}

// userBase is the folder that holds the user's .ai: USER_SPACE, or home.
func userBase() (string, error) {
	if base := os.Getenv("USER_SPACE"); base != "" {
		if rest, ok := strings.CutPrefix(base, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", err
			}
			base = filepath.Join(home, rest)
		}
		return filepath.Abs(base)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", item.Usagef("cannot find your home folder: %w", err).Hint("set USER_SPACE to the folder that holds your .ai")
	}
	return home, nil
}

// projectFolder is --project-path, else the nearest parent that holds .ai, else the current folder. The user space
// is not taken for a project of the folders below it.
func (a *app) projectFolder(user string) (string, error) {
	if a.flags.project != "" {
		dir, err := filepath.Abs(a.flags.project)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", item.Usagef("the project folder does not exist: %s", dir)
		}
		return dir, nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return "", item.Usagef("the current folder is gone: %w", err).Hint("cd somewhere, or give --project-path")
	}
	for dir := cwd; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(filepath.Join(dir, ".ai"))
		if err == nil && info.IsDir() && (dir != user || dir == cwd) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return cwd, nil
		}
	}
}

// cacheFolder is where files go that can be made again.
func cacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = filepath.Join(os.TempDir(), fmt.Sprintf("rye-cache-%d", os.Getuid()))
	}
	return filepath.Join(dir, "rye")
}

// warn writes one line for people.
func (a *app) warn(message string) {
	if !a.flags.quiet {
		fmt.Fprintln(a.stderr, a.paint(yellow, "warning:"), message)
	}
}

// detail writes one line for people who asked for more.
func (a *app) detail(message string) {
	if a.flags.verbose {
		a.note("%s", safe(message))
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

type colour string

const (
	bold   colour = "1"
	dim    colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
)

// paint colours text for standard error, paintOut for standard output, where a person is likely to see it.
func (a *app) paint(c colour, text string) string    { return a.paintFor(a.stderr, c, text) }
func (a *app) paintOut(c colour, text string) string { return a.paintFor(a.stdout, c, text) }

func (a *app) paintFor(f *os.File, c colour, text string) string {
	if a.flags.noColor || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !isTerminal(f) {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// safe shows text from outside on one line without anything invisible: control characters, marks that turn the
// direction of writing, bytes that are no UTF-8.
func safe(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) < 0 {
		return text
	}
	return item.Quote(text)
}
