//go:build linux

package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

func init() { helpers["tell-canaries"] = tellCanaries }

// canary is a secret that must not turn up.
type canary struct {
	text string // as the figure looks for it
	name string // of the parameter or variable that holds it
	held string // what that holds: the text, or a URL or a key with several lines around it
	from string
}

// Where canaries come from.
const (
	fromParameter = "secret parameters"
	fromCaller    = "variables whose names look secret"
	fromDeclared  = "variables that the tool declares as secrets"
	fromURL       = "passwords in URLs"
	fromKey       = "keys of several lines"
	fromDotEnv    = ".env"
)

var canaryOrigins = []string{fromParameter, fromCaller, fromDeclared, fromURL, fromKey, fromDotEnv}

// canaries makes so many; each has something that encodings change, or that quoting must survive.
func canaries(count int) (all []canary) {
	shapes := []string{"Qz7plain%03dsecret", `Qz7"quo'te%03d"x`, "Qz7 é日本%03dü", "Qz7%%41%%25%03d%%zz", `Qz7\back$%03d/+=`}
	for i := range count {
		text := fmt.Sprintf(shapes[i/len(canaryOrigins)%len(shapes)], i)
		c := canary{text: text, held: text, from: canaryOrigins[i%len(canaryOrigins)]}
		switch c.from {
		case fromParameter:
			c.name = fmt.Sprintf("login%d", i)
		case fromCaller:
			c.name = fmt.Sprintf("SERVICE%d_API_KEY", i)
		case fromDeclared:
			c.name = fmt.Sprintf("INNOCENT%d", i)
		case fromURL:
			c.name, c.held = fmt.Sprintf("PLACE%d", i), "postgres://"+url.UserPassword("ann", text).String()+"@example.org/db"
		case fromKey:
			c.text = strings.Repeat(text, 2)
			c.name = fmt.Sprintf("TLS%d_PRIVATE_KEY", i)
			c.held = "-----BEGIN PRIVATE KEY-----\n" + c.text + "\n" + c.text + "-2\n-----END PRIVATE KEY-----\n"
		case fromDotEnv:
			c.name = fmt.Sprintf("DB%d_PASSWORD", i)
		}
		all = append(all, c)
	}
	return all
}

// dotEnvLine writes a canary as .env files have it.
func (c canary) dotEnvLine() string {
	return c.name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(c.held) + "\"\n"
}

// plainForms are the encodings of a canary as a whole.
func (c canary) plainForms() []string {
	quoted, _ := json.Marshal(c.text)
	inner := string(quoted[1 : len(quoted)-1])
	return []string{
		c.text, hex.EncodeToString([]byte(c.text)), strings.ToUpper(hex.EncodeToString([]byte(c.text))),
		url.QueryEscape(c.text), url.PathEscape(c.text), inner, strings.ReplaceAll(inner, "/", `\/`),
	}
}

// base64Forms are texts in base64 in which a canary stands at each of the three places that its bits can have, and its
// own part of them.
func (c canary) base64Forms() (whole, part []string) {
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString(append([]byte("ann")[:before], c.text...))
			whole, part = append(whole, text), append(part, text[4:len(text)-3])
		}
	}
	return whole, part
}

// encodings are what gives a canary away in a sink.
func (c canary) encodings() []string {
	_, part := c.base64Forms()
	return slices.Concat(c.plainForms(), part)
}

// tellCanaries is the tool: it says every secret that it was given, and ends as it is told.
func tellCanaries(args []string) error {
	how, count := args[0], 0
	if _, err := fmt.Sscan(args[1], &count); err != nil {
		return err
	}
	var params map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&params); err != nil {
		return err
	}
	told := 0
	var text strings.Builder
	for _, c := range canaries(count) {
		if params[c.name] != c.held && os.Getenv(c.name) != c.held {
			continue
		}
		told++
		fmt.Fprintf(&text, "%s = %s\n", c.name, c.held)
		if how == "encoded" {
			whole, _ := c.base64Forms()
			for _, form := range slices.Concat(c.plainForms(), whole) {
				fmt.Fprintf(&text, "as %s.\n", form)
			}
		}
	}
	fmt.Fprintf(&text, "told %d\n", told)
	return tell(how, text.String())
}

func tell(how, text string) error {
	switch how {
	case "stderr":
		os.Stderr.WriteString(text)
	case "json":
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"success": true, "text": text, "list": strings.Split(text, "\n")})
	case "report":
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"success": false, "error": text})
	case "fragments":
		for part := range slices.Chunk([]byte(text), 5) {
			os.Stdout.Write(part)
			time.Sleep(20 * time.Microsecond)
		}
	case "fail":
		os.Stderr.WriteString(text)
		os.Exit(3)
	case "crash":
		os.Stdout.WriteString(text)
		os.Stderr.WriteString(text)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	default:
		os.Stdout.WriteString(text)
	}
	if how == "stay" {
		os.Stdout.WriteString("staying\n")
		time.Sleep(10 * time.Minute)
	}
	return nil
}
