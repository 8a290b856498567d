package engine

import (
	"cmp"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ryeos/rye/pkg/confine"
	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/mcp"
)

// MCPServe is how rye is served to MCP clients.
type MCPServe struct {
	Version    string   // of rye
	AskProject bool     // calls must name their project; else the engine's is meant when they do not
	Roots      []string // folders in which the projects must be; none allows all
	Concurrent int      // items that run at a time; 0 is two for each processor
	MaxResult  int      // bytes of an answer; 0 is DefaultMCPResult
}

// DefaultMCPResult is how long an answer to a model is at most, in bytes.
const DefaultMCPResult = 64 << 10

// ServeMCP serves one client on its streams, until it ends the input or ctx ends. Nothing of what it called runs then, but
// what it has detached.
func (e *Engine) ServeMCP(ctx context.Context, o MCPServe, in io.Reader, out io.Writer) error {
	return mcp.ServeStdio(ctx, e.mcpItems(o), o.served(), in, out)
}

// ListenMCP opens a loopback address for ServeMCPHTTP, and tells under which URL clients find the server.
func ListenMCP(address string) (l net.Listener, url string, err error) {
	if l, err = mcp.Listen(address); err != nil {
		return nil, "", err
	}
	return l, "http://" + l.Addr().String() + mcp.ServePath, nil
}

// ServeMCPHTTP serves those who know the token over HTTP, until ctx ends.
func (e *Engine) ServeMCPHTTP(ctx context.Context, o MCPServe, listener net.Listener, token string) error {
	return mcp.ServeHTTP(ctx, e.mcpItems(o), o.served(), listener, token)
}

func (o MCPServe) served() mcp.ServeOptions {
	return mcp.ServeOptions{
		Version: o.Version, AskProject: o.AskProject, Concurrent: cmp.Or(o.Concurrent, 2*runtime.NumCPU()),
	}
}

// mcpItems is what models may do with items: mcp.Items over an engine.
type mcpItems struct {
	base  Options
	serve MCPServe
}

func (e *Engine) mcpItems(o MCPServe) *mcpItems {
	base := e.options
	base.Minimal = true // whoever asks is a model, not the person who has set these variables
	base.Env = slices.DeleteFunc(slices.Clone(base.Env), func(entry string) bool { return strings.HasPrefix(entry, MCPTokenVariable+"=") })
	o.MaxResult = cmp.Or(o.MaxResult, DefaultMCPResult)
	return &mcpItems{base: base, serve: o}
}

// engine makes an engine for a project. Each call gets a new one: what people change meanwhile counts for the next.
func (s *mcpItems) engine(project string) (*Engine, error) {
	o := s.base
	if project == "" && s.serve.AskProject {
		return nil, item.Usagef("project_path is missing")
	}
	if project != "" {
		dir, err := s.project(project)
		if err != nil {
			return nil, err
		}
		o.Project = dir
	}
	return New(o)
}

// project checks the folder that a call names.
func (s *mcpItems) project(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", item.Usagef("project_path must be absolute: %s", item.Quote(dir))
	}
	dir = filepath.Clean(dir)
	if len(s.serve.Roots) > 0 {
		dir = confine.RealPath(dir) // no link leads out of the roots, and none that is exchanged later
		if !slices.ContainsFunc(s.serve.Roots, func(root string) bool { return confine.Inside(confine.RealPath(root), dir) }) {
			return "", item.Errorf(item.TypePermission, "the project is in none of the folders that this server is for: %s", dir)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", item.Usagef("the project folder does not exist: %s", dir)
	}
	return dir, nil
}

// leave closes what a call has opened.
func (e *Engine) leave() {
	e.threads.Lock()
	defer e.threads.Unlock()
	if e.threads.store != nil {
		e.threads.store.Close()
		e.threads.store = nil
	}
}

// Execute runs an item as the command line does.
func (s *mcpItems) Execute(ctx context.Context, call mcp.ExecuteCall, activity *mcp.Activity) mcp.Answer {
	e, err := s.engine(call.Project)
	if err != nil {
		return mcp.ErrorAnswer(call.ItemID, err)
	}
	defer e.leave()
	prepared, params, failed := e.prepareMCP(ctx, call)
	if failed != nil {
		return s.answer(failed, failed.Failed())
	}
	resp := prepared.told(ctx, params, activity)
	return s.answer(resp, resp.Failed())
}

// Fetch finds items or reads one.
func (s *mcpItems) Fetch(_ context.Context, call mcp.FetchCall) mcp.Answer {
	e, err := s.engine(call.Project)
	if err != nil {
		return mcp.ErrorAnswer(call.ItemID, err)
	}
	defer e.leave()
	found, err := e.fetchMCP(call)
	if err != nil {
		return mcp.ErrorAnswer(call.ItemID, err)
	}
	return s.answer(found, false)
}

// Sign signs items by their reference or a glob over references: files that are none are not reached from here.
func (s *mcpItems) Sign(_ context.Context, call mcp.SignCall) mcp.Answer {
	e, err := s.engine(call.Project)
	if err != nil {
		return mcp.ErrorAnswer(call.ItemID, err)
	}
	defer e.leave()
	report, err := e.signMCP(call)
	if err != nil {
		return mcp.ErrorAnswer(call.ItemID, err)
	}
	return s.answer(report, report.Status == item.StatusError)
}
