package mcp

import (
	"context"
	"sync"

	"github.com/ryeos/rye/pkg/item"
)

// Options are what a session needs to know about the world.
type Options struct {
	Dir    string                                      // where programs run whose configuration does not say
	Env    []string                                    // what programs get beside what their configuration gives them
	Lookup func(command string) (path string, _ error) // finds a program
	Spare  string                                      // see process.Spec
	Redact func(text string) string                    // takes secrets out of what a server says; nil leaves it as it is
	Self   string                                      // the version of rye
	Grants Grants                                      // what was signed in to; nil for nothing

	// Kept is set for a session whose server stays between calls: it is listened to when it says that its tools have
	// changed, and a call that nobody waits for any more does not end it.
	Kept bool
}

// Session is a conversation with one server, which is started or connected to when it is first needed, and again when it has
// died. It is safe for concurrent use.
type Session struct {
	server  *Server
	options Options

	mu      sync.Mutex
	current *link
	closed  bool
	all     sync.WaitGroup // links that are not closed
}

// NewSession is a session with a server whose variables are expanded. Nothing happens before it is used.
func NewSession(s *Server, o Options) *Session {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	return &Session{server: s, options: o}
}

// Close ends the session, and every process of the server.
func (s *Session) Close() {
	s.mu.Lock()
	l := s.current
	s.closed, s.current = true, nil
	s.mu.Unlock()
	if l != nil {
		l.close()
		s.all.Done()
	}
	s.all.Wait()
}

// Info is what the server says of itself.
type Info struct {
	Name         string `json:"name,omitempty"`
	Version      string `json:"version,omitempty"`
	Protocol     string `json:"protocol"`
	Instructions string `json:"instructions,omitempty"`
}

// Info connects, if need be.
func (s *Session) Info(ctx context.Context) (Info, error) {
	l, err := s.take(ctx)
	if err != nil {
		return Info{}, err
	}
	defer s.release(l)
	said := l.InitializeResult()
	info := Info{Protocol: said.ProtocolVersion, Instructions: Clean(said.Instructions)}
	if said.ServerInfo != nil {
		info.Name, info.Version = Clean(said.ServerInfo.Name), Clean(said.ServerInfo.Version)
	}
	return info, nil
}

// take gives a connection that is believed to work; release must follow.
func (s *Session) take(ctx context.Context) (*link, error) {
	if err := s.awaitDoubt(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, item.Errorf(item.TypeUnavailable, "the session with the MCP server %s is closed", s.server.Name)
	}
	if s.current != nil && s.current.over() {
		s.dropLocked(s.current)
	}
	if s.current == nil {
		l, err := s.connect(ctx)
		if err != nil {
			return nil, err
		}
		s.current = l
		s.all.Add(1)
	}
	s.current.users++
	return s.current, nil
}

// drop has nobody use the connection any more; it is closed by the last one who does.
func (s *Session) drop(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropLocked(l)
}

func (s *Session) dropLocked(l *link) {
	if l != s.current {
		return
	}
	s.current, l.dropped = nil, true
	if l.users == 0 {
		l.close()
		s.all.Done()
	}
}

func (s *Session) release(l *link) {
	s.mu.Lock()
	l.users--
	last := l.dropped && l.users == 0
	s.mu.Unlock()
	if last {
		l.close()
		s.all.Done()
	}
}
