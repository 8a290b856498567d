package mcptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// AuthorityProgram is a program: an Authority that writes the configuration of its MCP server into the file that its first
// argument names, and whose tokens live as long as the second says. AuthorityControl tells it what to do.
func AuthorityProgram() {
	a := &Authority{}
	life, err := time.ParseDuration(os.Args[2])
	exitOn(err)
	a.Life = life
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	exitOn(err)
	a.URL = "http://" + listener.Addr().String()
	mux := http.NewServeMux()
	mux.Handle("/", a.Handler())
	mux.HandleFunc("/control/{verb}", a.control)
	config := "version: \"1.0.0\"\ncategory: mcp/servers\nurl: " + a.Server() + "\n"
	exitOn(os.WriteFile(os.Args[1]+".new", []byte(config), 0o644))
	exitOn(os.Rename(os.Args[1]+".new", os.Args[1]))
	exitOn(http.Serve(listener, mux))
}

// control does what the program AuthorityControl is told, and answers with what has happened so far.
func (a *Authority) control(w http.ResponseWriter, r *http.Request) {
	verb := r.PathValue("verb")
	if verb == "end" {
		a.End()
	}
	a.Lock()
	defer a.Unlock()
	switch verb {
	case "live":
		a.Life = time.Hour
	case "refuse":
		a.RefuseRefresh = true
	case "tokens":
		fmt.Fprintln(w, strings.Join(a.Tokens, "\n"))
		return
	}
	json.NewEncoder(w).Encode(map[string]int{"registered": a.Registered, "refreshed": a.Refreshed, "revoked": a.Revoked, "called": a.Called})
}

// AuthorityControl is a program: it has the authority behind a configuration do something, and prints its answer. With the
// verb tokens it prints nothing, and fails if a file of its further arguments holds a token.
func AuthorityControl() {
	config, err := os.ReadFile(os.Args[1])
	exitOn(err)
	_, url, _ := strings.Cut(string(config), "url: ")
	url, _, _ = strings.Cut(url, "/mcp")
	client := &http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get(url + "/control/" + os.Args[2])
	exitOn(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	exitOn(err)
	if os.Args[2] != "tokens" {
		os.Stdout.Write(answer)
		return
	}
	tokens := strings.Fields(string(answer))
	if len(tokens) == 0 {
		exitOn(errors.New("there is no token to look for"))
	}
	for _, file := range os.Args[3:] {
		text, err := os.ReadFile(file)
		exitOn(err)
		for _, token := range tokens {
			if strings.Contains(string(text), token) {
				exitOn(fmt.Errorf("%s holds the token %s", file, token))
			}
		}
	}
}

// SignIn is a program: a person who runs the command of its arguments, and opens the page that it prints.
func SignIn() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
	err := openingPages(cmd)
	if exit, ok := err.(*exec.ExitError); ok {
		os.Exit(exit.ExitCode())
	}
	exitOn(err)
}

// openingPages runs rye mcp login and opens the page that it prints, which sends the browser on to rye.
func openingPages(cmd *exec.Cmd) error {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(io.TeeReader(stderr, os.Stderr))
	for lines.Scan() {
		if _, page, ok := strings.Cut(lines.Text(), "to sign in, open "); ok {
			if err := openPage(page); err != nil {
				fmt.Fprintln(os.Stderr, err) // rye waits in vain, and says so
			}
		}
	}
	return cmd.Wait()
}

func openPage(page string) error {
	client := &http.Client{Timeout: 5 * time.Second}
	resp, err := client.Get(page)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", resp.Request.URL.Host, resp.Status)
	}
	return nil
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
