package agenttest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/agent"
	"github.com/ryeos/rye/pkg/clock"
	"github.com/ryeos/rye/pkg/record"
	"github.com/ryeos/rye/pkg/thread"
)

// Checks with real processes start themselves again: a program that uses them calls Main first, with Start as its way to
// start a copy of itself.

// Start starts this program once more, with variables of its environment. wait returns when it has ended.
type Start func(env ...string) (wait func() error, err error)

const roleVariable = "RYE_AGENTTEST"

// roles are what this program may be started as.
var roles = map[string]func() error{"journey": playJourney, "fleet": playFleet}

// Main plays the role that the environment gives this process, and does not return then.
func Main() {
	role := os.Getenv(roleVariable)
	if role == "" {
		return
	}
	play := roles[role]
	if play == nil {
		fmt.Fprintf(os.Stderr, "no role %q\n", role)
		os.Exit(2)
	}
	if err := play(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func set(name string, value any) string { return fmt.Sprintf("%s_%s=%v", roleVariable, name, value) }

func get(name string) string { return os.Getenv(roleVariable + "_" + name) }

func number(name string) int {
	n, err := strconv.Atoi(get(name))
	if err != nil {
		panic(err) // the parent wrote it
	}
	return n
}

// RealClock is the machine's time, or one that runs faster than it for everybody who shares the factor.
type RealClock struct{ Factor time.Duration }

// Now implements agent.Clock.
func (c RealClock) Now() time.Time {
	if c.Factor <= 1 {
		return time.Now()
	}
	const lap = 1000 * time.Hour // so that the product is a Duration
	return time.Unix(0, 0).Add(time.Duration(time.Now().UnixNano()%int64(lap)) * c.Factor)
}

// Sleep implements agent.Clock.
func (c RealClock) Sleep(ctx context.Context, d time.Duration) error {
	return clock.System{}.Sleep(ctx, d/max(1, c.Factor))
}

// lines reads a file that several processes append to; none if it is not there.
func lines(path string) ([]string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []string
	for s := bufio.NewScanner(file); s.Scan(); {
		list = append(list, s.Text())
	}
	return list, nil
}

// appendLine adds a line to a file at once, so that it is there whole when the process dies right after.
func appendLine(path, line string) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.WriteString(strings.ReplaceAll(line, "\n", " ") + "\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		panic(err)
	}
}

// mortal is a storage whose process is killed at one of its updates.
type mortal struct {
	record.Storage
	at     int // the update, from 1; never if 0
	after  bool
	number int
}

// Update implements record.Storage.
func (m *mortal) Update(ctx context.Context, f func(record.Tx) error) error {
	m.number++
	die := m.number == m.at
	err := m.Storage.Update(ctx, func(tx record.Tx) error {
		err := f(tx)
		if die && !m.after {
			kill()
		}
		return err
	})
	if die && m.after {
		kill()
	}
	return err
}

func kill() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {} // the signal is on its way
}

// open opens the storage of a folder.
func open(dir string) (*thread.Store, error) {
	return thread.Open(context.Background(), filepath.Join(dir, "threads"), thread.Options{})
}

// catalog is one agent with tools, that is never stopped by a number of steps.
func catalog(tools ...string) *agent.Catalog {
	prompt := &agent.Prompt{Name: "helper", Parts: []agent.PromptPart{{Text: "You help."}}, Model: "model", IncludeChat: true, IncludePastTools: true}
	for _, name := range tools {
		prompt.Tools = append(prompt.Tools, agent.Tool{Name: name})
	}
	return &agent.Catalog{
		Agents:  map[string]*agent.Agent{"helper": {Name: "helper", CompactAt: -1, SideA: agent.Side{Prompt: "helper"}, Limits: agent.Limits{HardSteps: 1 << 30}}},
		Prompts: map[string]*agent.Prompt{"helper": prompt},
		Models:  map[string]*agent.Model{"model": {Name: "model", ID: "model-1"}},
	}
}
