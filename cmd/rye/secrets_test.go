package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// canaries is how many secrets the scripts about secrets plant: ten of each kind.
const canaries = 50

// canary is one of them; every encoding changes something in it.
func canary(i int) string { return fmt.Sprintf(`Kq7/+"& é%02d`, i) }

// leaks are the ways in which the tool of those scripts shows a secret.
var leaks = map[string]func(string) string{
	"plain":     func(s string) string { return s },
	"base64":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"basic":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte("ann:" + s)) },
	"base64url": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"hex":       func(s string) string { return hex.EncodeToString([]byte(s)) },
	"query":     url.QueryEscape,
	"path":      url.PathEscape,
	"html":      html.EscapeString,
	"json": func(s string) string {
		data, _ := json.Marshal(s)
		return strings.ReplaceAll(string(data[1:len(data)-1]), "/", `\/`)
	},
}

func init() {
	helpers["plant-canaries"] = plantCanaries
	helpers["rye-with-canaries"] = ryeWithCanaries
	helpers["leak"] = leak
	helpers["no-canaries"] = noCanaries
}

// plantCanaries writes the tool that leaks, and the project's .env.
func plantCanaries() {
	static, properties, declared, dotEnv := map[string]string{}, map[string]any{"encoding": map[string]any{"type": "string"}, "report": map[string]any{"type": "boolean"}}, []string{}, ""
	for i := range canaries / 5 {
		dotEnv += fmt.Sprintf("DB%d_PASSWORD='%s'\n", i, canary(10+i))
		static[fmt.Sprintf("SERVICE%d_API_KEY", i)] = canary(20 + i)
		declared = append(declared, fmt.Sprintf("INNOCENT%d", i))
		properties[fmt.Sprintf("login%d", i)] = map[string]any{"type": "string", "secret": true}
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
	env, _ := json.Marshal(map[string]any{"env": static, "secrets": declared})
	tool := fmt.Sprintf(`#!/usr/bin/env bash
# __version__ = "1.0.0"
# __tool_type__ = "bash"
# __executor_id__ = "rye/core/runtimes/bash/bash"
# __category__ = ""
# __tool_description__ = "Shows every secret that it knows"
# CONFIG_SCHEMA = %s
# ENV_CONFIG = %s
exec leak
`, schema, env)
	check(os.WriteFile(filepath.Join(".ai", "tools", "leak.sh"), []byte(tool), 0o644))
	check(os.WriteFile(".env", []byte(dotEnv), 0o600))
}

// ryeWithCanaries runs rye with its arguments, canaries in the environment and canaries as parameters on standard input.
func ryeWithCanaries() {
	params := map[string]any{}
	cmd := exec.Command("rye", os.Args[1:]...)
	cmd.Env = os.Environ()
	for i := range canaries / 5 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("APP%d_TOKEN=%s", i, canary(i)), fmt.Sprintf("INNOCENT%d=%s", i, canary(30+i)))
		params[fmt.Sprintf("login%d", i)] = canary(40 + i)
	}
	data, err := json.Marshal(params)
	check(err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(string(data)), os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	} else {
		check(err)
	}
}

// leak is the tool: it fails, and says all its secrets on standard error, or in the error that it reports as its result.
func leak() {
	var params map[string]any
	check(json.NewDecoder(os.Stdin).Decode(&params))
	encoding, _ := params["encoding"].(string)
	known := map[string]bool{}
	for i := range canaries {
		for _, entry := range os.Environ() {
			_, value, _ := strings.Cut(entry, "=")
			known[canary(i)] = known[canary(i)] || value == canary(i)
		}
		for _, v := range params {
			known[canary(i)] = known[canary(i)] || v == canary(i)
		}
	}
	text := ""
	for _, value := range slices.Sorted(maps.Keys(known)) {
		if known[value] {
			text += leaks[encoding](value) + "\n"
		}
	}
	if report, _ := params["report"].(bool); report {
		check(json.NewEncoder(os.Stdout).Encode(map[string]any{"success": false, "error": strings.ReplaceAll(text, "\n", " ")}))
		return
	}
	fmt.Fprint(os.Stderr, text)
	os.Exit(3)
}

// noCanaries COUNT FILE…: no file holds a canary in any encoding, but for the tool's own result in an envelope; and as
// many as COUNT were taken out of each.
func noCanaries() {
	count := 0
	_, err := fmt.Sscan(os.Args[1], &count)
	check(err)
	for _, file := range os.Args[2:] {
		data, err := os.ReadFile(file)
		check(err)
		text := string(data)
		var envelope map[string]any
		if json.Unmarshal(data, &envelope) == nil {
			delete(envelope, "data")
			text = fmt.Sprint(envelope)
		}
		for i := range canaries {
			for name, encode := range leaks {
				if strings.Contains(text, encode(canary(i))) {
					check(fmt.Errorf("%s holds canary %d as %s: %s", file, i, name, text))
				}
			}
		}
		if got := strings.Count(text, "[redacted "); got < count {
			check(fmt.Errorf("%s: %d secrets were taken out, want %d: %s", file, got, count, text))
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
