package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/redact"
)

// The outcomes of a check.
const (
	CheckOK   = "ok"
	CheckInfo = "info" // nothing to do, but good to know
	CheckWarn = "warn"
	CheckFail = "fail" // something will not run
)

// Check is one thing that was looked at, and the command that sets it right.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Diagnosis is every check of one look at the machine.
type Diagnosis struct {
	Status string  `json:"status"` // success, or error when a check failed
	Failed int     `json:"failed"`
	Warned int     `json:"warned"`
	Checks []Check `json:"checks"`
}

// Doctor looks at everything that a run depends on. It writes nothing and asks nothing of the network. What takes time,
// such as asking interpreters for their versions, is done side by side.
func (e *Engine) Doctor(ctx context.Context) *Diagnosis {
	groups := []func(context.Context) []Check{
		e.checkSpaces, e.checkKey, e.checkTrust, e.checkItems, e.checkExposed, e.checkModes, e.checkInterpreters, e.checkPath,
		e.checkSandbox, e.checkCache, e.checkDisk, e.checkLeftovers, e.checkRegistry,
	}
	found := make([][]Check, len(groups))
	var wg sync.WaitGroup
	for i, group := range groups {
		wg.Go(func() { found[i] = group(ctx) })
	}
	wg.Wait()
	secrets := &redact.Redactor{}
	for _, entry := range e.options.Env {
		name, value, _ := strings.Cut(entry, "=")
		secrets.AddVariable(name, value)
	}
	d := &Diagnosis{Status: "success"}
	for _, checks := range found {
		for _, c := range checks {
			c.Detail, c.Fix = secrets.Text(c.Detail), secrets.Text(c.Fix)
			d.add(c)
		}
	}
	return d
}

func (d *Diagnosis) add(c Check) {
	switch c.Status {
	case CheckFail:
		d.Failed++
		d.Status = "error"
	case CheckWarn:
		d.Warned++
	}
	d.Checks = append(d.Checks, c)
}

func passed(name, format string, args ...any) Check {
	return Check{Name: name, Status: CheckOK, Detail: fmt.Sprintf(format, args...)}
}

func noted(name, format string, args ...any) Check {
	return Check{Name: name, Status: CheckInfo, Detail: fmt.Sprintf(format, args...)}
}

func warned(name, fix, format string, args ...any) Check {
	return Check{Name: name, Status: CheckWarn, Fix: fix, Detail: fmt.Sprintf(format, args...)}
}

func broken(name, fix, format string, args ...any) Check {
	return Check{Name: name, Status: CheckFail, Fix: fix, Detail: fmt.Sprintf(format, args...)}
}

// some names the first few of many things.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
