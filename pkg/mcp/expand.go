package mcp

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ryeos/rye/pkg/item"
)

// Variable is the value of ${NAME} in a server's configuration.
type Variable struct {
	Value string
	// InProject is set for a variable that an unsigned file of the project gives, which must not decide which program is
	// started or to whom the headers go.
	InProject bool
}

// variable is ${NAME} or ${NAME:-otherwise}. The pattern is made at the first use: most runs of rye need none.
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)
})

// Variables lists the names that the configuration asks for, sorted.
func (s *Server) Variables() []string {
	return VariablesIn(slices.Concat([]string{s.Command, s.URL, s.Dir, s.OAuth.ClientID, s.OAuth.ClientSecret, s.OAuth.Issuer}, s.Args, values(s.Env), values(s.Headers))...)
}

// VariablesIn lists the names that texts ask for, sorted.
func VariablesIn(texts ...string) []string {
	asked := map[string]bool{}
	for _, text := range texts {
		for _, match := range variable().FindAllStringSubmatch(text, -1) {
			asked[match[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(asked))
}

func values(m map[string]string) []string { return slices.Collect(maps.Values(m)) }

// Expand is the server with the values of its variables. One that is not set, or is empty, and has no default is an error
// that names it.
func (s *Server) Expand(lookup func(name string) (Variable, bool)) (*Server, error) {
	x := &expansion{lookup: lookup}
	full := *s
	full.Command, full.URL, full.Dir = x.fixed(s.Command), x.fixed(s.URL), x.fixed(s.Dir)
	full.Args = slices.Clone(s.Args)
	for i, arg := range full.Args {
		full.Args[i] = x.text(arg)
	}
	full.Env, full.Headers = x.all(s.Env), x.all(s.Headers)
	full.OAuth.ClientID, full.OAuth.ClientSecret, full.OAuth.Issuer = x.text(s.OAuth.ClientID), x.text(s.OAuth.ClientSecret), x.fixed(s.OAuth.Issuer)
	if len(x.missing) > 0 {
		names := slices.Compact(slices.Sorted(slices.Values(x.missing)))
		return nil, item.Errorf(item.TypeUnavailable, "the MCP server %s needs %s, which is not set", s.Name, strings.Join(names, ", ")).
			Hint("set it in the environment or in the project's .env, and try again")
	}
	if len(x.refused) > 0 {
		names := slices.Compact(slices.Sorted(slices.Values(x.refused)))
		return nil, item.Errorf(item.TypePermission, "the command, url, cwd and oauth.issuer of the MCP server %s use %s from the project's .env, "+
			"which is not signed", s.Name, strings.Join(names, ", ")).Hint("set it in the environment, or write the value into config:%s", serversFolder+s.Name)
	}
	return &full, nil
}

type expansion struct {
	lookup           func(string) (Variable, bool)
	missing, refused []string
}

// text fills in variables once: a value is never looked into again.
func (x *expansion) text(text string) string { return x.replace(text, true) }

// fixed is text for what no file of the project may decide.
func (x *expansion) fixed(text string) string { return x.replace(text, false) }

func (x *expansion) replace(text string, project bool) string {
	if !strings.Contains(text, "${") {
		return text
	}
	return variable().ReplaceAllStringFunc(text, func(found string) string {
		match := variable().FindStringSubmatch(found)
		v, ok := x.lookup(match[1])
		switch {
		case ok && v.Value != "" && v.InProject && !project:
			x.refused = append(x.refused, match[1])
		case ok && v.Value != "":
			return v.Value
		case strings.Contains(found, ":-"):
			return match[2]
		default:
			x.missing = append(x.missing, match[1])
		}
		return ""
	})
}

func (x *expansion) all(texts map[string]string) map[string]string {
	expanded := make(map[string]string, len(texts))
	for name, text := range texts {
		expanded[name] = x.text(text)
	}
	return expanded
}
