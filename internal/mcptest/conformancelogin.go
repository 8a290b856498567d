package mcptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// suiteDocument is the address under which the suite expects a client's metadata document. Nobody fetches it.
const suiteDocument = "https://conformance-test.local/client-metadata.json"

// mostLogins is how often somebody signs in before they give up.
const mostLogins = 3

// oauthConfig is what a user would write about the client that the suite has registered.
func oauthConfig() (string, error) {
	if !strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/") {
		return "", nil
	}
	given := struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}{ID: suiteDocument}
	if context := os.Getenv("MCP_CONFORMANCE_CONTEXT"); context != "" {
		if err := json.Unmarshal([]byte(context), &given); err != nil {
			return "", err
		}
	}
	config := "oauth:\n  client_id: " + strconv.Quote(given.ID) + "\n"
	if given.Secret != "" {
		config += "  client_secret: " + strconv.Quote(given.Secret) + "\n"
	}
	if strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/client-credentials-") {
		config += "  grant: client_credentials\n"
	}
	return config, nil
}

// loginHint is the arguments of the command by which a failure of rye says how to sign in, nil if it does not.
func loginHint(document []byte) []string {
	var failure struct{ Hints []string }
	if json.Unmarshal(document, &failure) != nil {
		return nil
	}
	for _, hint := range failure.Hints {
		if command, ok := strings.CutPrefix(hint, "rye mcp login "); ok {
			return append([]string{"mcp", "login", "--no-browser", "--timeout", "10s"}, strings.Fields(command)...)
		}
	}
	return nil
}

// login signs in as a person does.
func (c *conformanceClient) login(args []string) error {
	fmt.Println("rye", args)
	cmd := exec.Command("rye", args...)
	cmd.Dir, cmd.Stdout = c.dir, os.Stdout
	return openingPages(cmd)
}

// rye runs rye in the project, with parameters on its standard input. It signs in where rye says so, and tries again.
func (c *conformanceClient) rye(parameters map[string]any, args ...string) error {
	data, err := json.Marshal(parameters)
	if err != nil {
		return err
	}
	for logins := 0; ; logins++ {
		var out bytes.Buffer
		fmt.Println("rye", args)
		cmd := exec.Command("rye", args...)
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.dir, bytes.NewReader(data), io.MultiWriter(os.Stdout, &out), os.Stderr
		err := cmd.Run()
		if err == nil {
			return nil
		}
		how := loginHint(out.Bytes())
		if how == nil || logins == mostLogins {
			return fmt.Errorf("rye %v: %w", args, err)
		}
		if err := c.login(how); err != nil {
			return fmt.Errorf("rye %v: %w", how, err)
		}
	}
}
