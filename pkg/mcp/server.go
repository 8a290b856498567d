package mcp

import (
	"net/url"
	"time"

	"github.com/ryeos/rye/pkg/item"
)

// The transports of a server.
const (
	Stdio = "stdio" // a program that is started for the session
	HTTP  = "http"  // streamable HTTP
	SSE   = "sse"   // HTTP with a separate event stream, from before March 2025
)

// The defaults of a server's limits.
const (
	DefaultTimeout      = 30 * time.Second
	DefaultStartTimeout = 30 * time.Second
	DefaultMaxMessage   = 8 << 20
	maxTools            = 1000
)

// Server is the configuration of one MCP server.
type Server struct {
	Name        string
	Description string
	Transport   string

	Command string // stdio: a program's name or absolute path, never shell text
	Args    []string
	Env     map[string]string // beside the minimal environment
	Dir     string            // "" is the project's folder

	URL     string // http and sse
	Headers map[string]string
	OAuth   OAuth

	Timeout      time.Duration // of one call
	StartTimeout time.Duration // until the server has said what it is and which tools it has
	MaxMessage   int           // bytes of one message of the server
	KeepAlive    time.Duration // stdio: how long it stays without a call; less than 0 leaves that to the person
	Protocol     string        // the version to ask for; "" asks for the newest and takes what there is
}

// ParseServer reads a server's configuration. Its settings may also stand below a key `config`.
func ParseServer(name string, doc *item.Object) (*Server, error) {
	from := doc
	if below := doc.Object("config"); below.Len() > 0 {
		from = below
	}
	r := &reader{from: from}
	s := &Server{
		Name: name, Description: doc.String("description"), Transport: r.text("transport"),
		Command: r.text("command"), Args: r.texts("args"), Env: r.mapping("env"), Dir: r.text("cwd"),
		URL: r.text("url"), Headers: r.mapping("headers"), OAuth: r.oauth("oauth"), Protocol: r.text("protocol"),
		Timeout: r.seconds("timeout", DefaultTimeout), StartTimeout: r.seconds("start_timeout", DefaultStartTimeout),
		MaxMessage: r.bytes("max_message", DefaultMaxMessage), KeepAlive: r.time("keep_alive", -1),
	}
	if s.Protocol == "auto" {
		s.Protocol = ""
	}
	if r.err == nil {
		r.err = s.settle()
	}
	if r.err != nil {
		return nil, item.Errorf(item.TypeChain, "config:%s: %w", serversFolder+name, r.err)
	}
	return s, nil
}

const serversFolder = "mcp/servers/"

// settle fills in the transport that the other settings imply, and refuses those that do not belong to it.
func (s *Server) settle() error {
	if s.Transport == "" {
		s.Transport = HTTP
		if s.Command != "" {
			s.Transport = Stdio
		}
	}
	switch s.Transport {
	case Stdio:
		if s.Command == "" {
			return item.Usagef("No command in server config")
		}
		if s.URL != "" || len(s.Headers) > 0 || s.OAuth.given() {
			return item.Usagef("url, headers and oauth are for the transports http and sse, not for stdio")
		}
	case HTTP, SSE:
		if s.URL == "" {
			return item.Usagef("No URL in server config")
		}
		if s.Command != "" || len(s.Args) > 0 || len(s.Env) > 0 {
			return item.Usagef("command, args and env are for the transport stdio, not for %s", s.Transport)
		}
	default:
		return item.Usagef("Unknown transport: %s (stdio, http or sse)", item.Quote(s.Transport))
	}
	return s.OAuth.settle()
}

// address is a server's URL, if it is one that can be called.
func (s *Server) address() (*url.URL, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, item.Usagef("the url of the MCP server %s is no http or https address", s.Name)
	}
	return u, nil
}

// Remote reports whether the server is reached over the network.
func (s *Server) Remote() bool { return s.Transport != Stdio }
