package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"time"
	"unicode/utf8"

	"github.com/ryeos/rye/pkg/item"
)

// order is what a launcher tells a runner: the request, and the settings of the launcher's engine that neither the command
// line nor the environment tells.
type order struct {
	Request item.Request `json:"request"`
	Engine  settled      `json:"engine"`
}

// settled are the Options that a runner takes over.
type settled struct {
	User        string `json:"user"`
	Cache       string `json:"cache"`
	KeyDir      string `json:"key_dir"`
	Minimal     bool   `json:"minimal,omitempty"`
	DevMode     bool   `json:"dev_mode,omitempty"`
	AcceptV1    bool   `json:"accept_v1,omitempty"`
	Pin         bool   `json:"pin,omitempty"`
	IgnoreModes bool   `json:"ignore_modes,omitempty"`

	MCPKeepAlive    time.Duration `json:"mcp_keep_alive,omitempty"`
	PythonKeepAlive time.Duration `json:"python_keep_alive,omitempty"`
}

func (o Options) settled() settled {
	return settled{o.User, o.Cache, o.KeyDir, o.Minimal, o.DevMode, o.AcceptV1, o.Pin, o.IgnoreModes, o.MCPKeepAlive, o.PythonKeepAlive}
}

func (s settled) apply(o Options) Options {
	o.User, o.Cache, o.KeyDir = s.User, s.Cache, s.KeyDir
	o.Minimal, o.DevMode, o.AcceptV1, o.Pin, o.IgnoreModes = s.Minimal, s.DevMode, s.AcceptV1, s.Pin, s.IgnoreModes
	o.MCPKeepAlive, o.PythonKeepAlive = s.MCPKeepAlive, s.PythonKeepAlive
	return o
}

// maxOrder bounds what a runner reads, in bytes.
const maxOrder = 1 << 30

// encode writes the order as JSON. Parameters may hold bytes that are no text, which JSON cannot: every text in them is
// marked as plain or as base64.
func (o order) encode() ([]byte, error) {
	o.Request.Parameters, _ = mapTexts(o.Request.Parameters, markText).(map[string]any)
	return json.Marshal(o)
}

// readOrder reads what the launcher says. A launcher that died has said nothing, or half of it.
func readOrder(stdin io.Reader) (order, error) {
	var o order
	data, err := io.ReadAll(io.LimitReader(stdin, maxOrder))
	switch {
	case err != nil:
		return o, err
	case len(data) == 0:
		return o, item.Usagef("the runner was told nothing").Hint("it is started by rye execute --async")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&o); err != nil {
		return o, item.Usagef("the runner was told half of its order: %w", err)
	}
	o.Request.Parameters, _ = mapTexts(o.Request.Parameters, unmarkText).(map[string]any)
	return o, nil
}

func markText(text string) string {
	if utf8.ValidString(text) {
		return "=" + text
	}
	return "&" + base64.StdEncoding.EncodeToString([]byte(text))
}

func unmarkText(text string) string {
	if encoded, ok := cutMark(text, '&'); ok {
		data, _ := base64.StdEncoding.DecodeString(encoded)
		return string(data)
	}
	plain, _ := cutMark(text, '=')
	return plain
}

func cutMark(text string, mark byte) (string, bool) {
	if text == "" || text[0] != mark {
		return text, false
	}
	return text[1:], true
}

// mapTexts changes every text in a value of JSON's kinds, keys not.
func mapTexts(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = mapTexts(element, change)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, element := range v {
			object[name] = mapTexts(element, change)
		}
		return object
	}
	return value
}
