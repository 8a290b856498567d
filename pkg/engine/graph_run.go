package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ryeos/rye/pkg/graph"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/space"
	"github.com/ryeos/rye/pkg/thread"
)

// graphsDir is where a project keeps the runs of its graphs, below `.ai` (design §6).
const graphsDir = "state/graphs"

// The files of a run.
const (
	journalFile    = "journal"
	transcriptFile = "transcript.jsonl"
)

// graphRun is one run of a graph, and its folder.
type graphRun struct {
	id, graphID string
	single      bool // a step by itself
	journal     *graph.FileJournal
	transcript  *os.File // nil for a single step on the state of another run, whose story it does not tell

	store  *thread.Store
	lock   *thread.Lock
	thread string // the registry's name of this attempt at the run
}

// openGraphRun makes the folder of a new run, or opens that of one to resume. A single step that resumes nothing is a run of
// its own.
func (e *Engine) openGraphRun(g *graph.Graph, in *graph.Invocation) (*graphRun, error) {
	root, err := e.openState(graphsDir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if in.RunID, err = e.reserveRun(root, g, in); err != nil {
		return nil, err
	}
	dir := filepath.Join(root.Name(), in.RunID)
	run := &graphRun{id: in.RunID, graphID: g.ID, single: in.Node != ""}
	if run.journal, err = graph.OpenJournal(filepath.Join(dir, journalFile)); err != nil {
		return nil, err
	}
	if run.single && in.Resume {
		return run, nil
	}
	run.transcript, err = root.OpenFile(in.RunID+"/"+transcriptFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		run.journal.Close()
		return nil, err
	}
	return run, nil
}

// reserveRun finds the run's name: the one that was given, or the graph's and the time, numbered if that is taken.
func (e *Engine) reserveRun(root *os.Root, g *graph.Graph, in *graph.Invocation) (string, error) {
	if in.Resume {
		if err := checkRunID(in.RunID); err != nil {
			return "", err
		}
		if info, err := root.Lstat(in.RunID); err != nil || !info.IsDir() {
			return "", item.Errorf(item.TypeNotFound, "Cannot resume: state not found or signature invalid for %s/%s", g.ID, in.RunID).
				Hint("rye threads list --item tool:%s", g.ID)
		}
		return in.RunID, nil
	}
	base := in.RunID
	if base == "" {
		base = fmt.Sprintf("%s-%d", strings.ReplaceAll(g.ID, "/", "-"), e.options.Now().Unix())
		if in.Node != "" {
			base += "-step"
		}
	}
	if err := checkRunID(base); err != nil {
		return "", err
	}
	for n, id := 2, base; ; n++ {
		err := root.Mkdir(id, 0o700)
		switch {
		case err == nil:
			return id, nil
		case !errors.Is(err, fs.ErrExist):
			return "", err
		case in.RunID != "" && !e.graphRunBegan(root, id): // reserved by whoever launched this
			return id, nil
		case in.RunID != "":
			return "", item.Usagef("there is a run %s already", id).Hint("go on with it: --resume --graph-run-id %s", id)
		}
		id = fmt.Sprintf("%s-%d", base, n)
	}
}

// checkRunID keeps a run's folder below the folder of the runs.
func checkRunID(id string) error {
	if err := item.ValidateID(id); err != nil || strings.Contains(id, "/") {
		return item.Usagef("%s cannot be the id of a graph run", item.Quote(id))
	}
	return nil
}

func (e *Engine) graphRunBegan(root *os.Root, id string) bool {
	info, err := root.Lstat(id + "/" + journalFile)
	return err == nil && info.Size() > 0
}

func (e *Engine) graphRunExists(id string) bool {
	root, err := e.openState(graphsDir)
	if err != nil {
		return false
	}
	defer root.Close()
	return e.graphRunBegan(root, id)
}

// openState opens, or makes, a folder of the project's state. No link in it leads out of the project.
func (e *Engine) openState(dir string) (*os.Root, error) {
	project, err := os.OpenRoot(e.options.Project)
	if err != nil {
		return nil, item.Errorf(item.TypePermission, "cannot open the project folder: %w", err)
	}
	defer project.Close()
	path := space.Dir + "/" + dir
	if err := project.MkdirAll(path, 0o700); err != nil {
		return nil, item.Errorf(item.TypePermission, "cannot make %s in %s: %w", path, e.options.Project, err).
			Hint("check who owns it: ls -ld %s", item.ShellWord(filepath.Join(e.options.Project, space.Dir)))
	}
	root, err := project.OpenRoot(path)
	if err != nil {
		return nil, item.Errorf(item.TypePermission, "cannot open %s in %s: %w", path, e.options.Project, err)
	}
	return root, nil
}

// transcriptLine is one line of the transcript (spec/rye-agent §2.15).
type transcriptLine struct {
	Timestamp time.Time      `json:"timestamp"`
	ThreadID  string         `json:"thread_id"`
	Type      string         `json:"event_type"`
	Payload   map[string]any `json:"payload"`
}

func (r *graphRun) note(ev graph.Event, now time.Time) error {
	if r.transcript == nil {
		return nil
	}
	line, err := json.Marshal(transcriptLine{now.UTC(), r.id, ev.Type, ev.Payload})
	if err != nil {
		return err
	}
	_, err = r.transcript.Write(append(line, '\n'))
	return err
}

// close gives everything back. The registry has the end by then.
func (r *graphRun) close() {
	if r.journal != nil {
		r.journal.Close()
		r.transcript.Close()
		r.journal = nil
	}
	if r.lock != nil {
		r.lock.Release()
	}
}
