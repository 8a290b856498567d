package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// bash runs a shell command as rye/bash, with flags for rye, and gives the tool's exit code and the whole response.
func (g *ground) bash(command string, flags ...string) (code int, doc map[string]any) {
	g.Helper()
	args := append([]string{"execute"}, flags...)
	doc = g.document(g.rye(append(args, "tool:rye/bash", "--command", command)...))
	facts := doc["metadata"].(map[string]any)
	if _, ran := facts["exit_code"]; !ran {
		g.Fatalf("%s did not run: %v", command, doc)
	}
	return int(facts["exit_code"].(float64)), doc
}

// secrets puts what a tool must not read into the home folder.
func (g *ground) secrets() {
	g.Helper()
	ssh := filepath.Join(g.home, ".ssh")
	if err := os.Mkdir(ssh, 0o700); err != nil {
		g.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(ssh, "id"), []byte("secret\n"), 0o600); err != nil {
		g.Fatal(err)
	}
	for file, text := range map[string]string{"mcp-token": "secret\n", "mcp-oauth/far.json": "{}\n"} {
		file = filepath.Join(g.home, ".ai", "state", file)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			g.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			g.Fatal(err)
		}
	}
	if err := os.Symlink(ssh, filepath.Join(g.project, "link")); err != nil {
		g.Fatal(err)
	}
	g.write(".ai/tools/note.txt", "x")
	g.write("data/file", "content\n")
}

// interpreter is the Python behind whatever is first in PATH: version managers take long to find it each time.
var interpreter = sync.OnceValue(func() string {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "python3"
	}
	return strings.TrimSpace(string(path))
})

// python makes a shell command of a Python program.
func python(program string) string { return interpreter() + " -c '" + program + "'" }

// refusal is a Python program that fails if an operation is refused with an error number, and only then.
func refusal(operation string, errno syscall.Errno) string {
	return python(fmt.Sprintf(`
import ctypes, fcntl, sys, termios
libc = ctypes.CDLL(None, use_errno=True)
try:
    ok = %s
    number = ctypes.get_errno() if ok == -1 else 0
except OSError as e:
    number = e.errno
sys.exit(number == %d)`, operation, errno))
}

// TestSandboxDenies: each command works without the sandbox and fails in it.
func TestSandboxDenies(t *testing.T) {
	g := newGround(t)
	g.secrets()
	for name, command := range map[string]string{
		"a secret of the home folder":     "cat ~/.ssh/id",
		"a link that leads to it":         "cat link/id",
		"by way of a grandchild":          `setsid -w bash -c "bash -c 'cat ~/.ssh/id; exit \$?'; exit \$?"`,
		"by way of the root of a process": "cat /proc/self/root$HOME/.ssh/id",
		"the signing key":                 "cat ~/.ai/config/keys/signing/private_key.pem",
		"the token of rye's MCP server":   "cat ~/.ai/state/mcp-token",
		"a sign-in to an MCP server":      "cat ~/.ai/state/mcp-oauth/far.json",
		"writing items":                   "echo x > .ai/tools/note.txt",
		"new items":                       "echo x > .ai/tools/planted",
		"writing in the project":          "echo x > data/file",
		"emptying a file":                 python(`import os; os.truncate("data/file", 0)`),
		"removing a file":                 "rm data/file",
		"writing in the home folder":      "echo x > ~/planted",
		"a pipe":                          "rm -f pipe; mkfifo pipe",
		"the environment of rye":          "cat /proc/$PPID/environ",
		"tracing":                         refusal("libc.ptrace(0, 0, 0, 0)", syscall.EPERM),
		"typing into the terminal":        refusal(`fcntl.ioctl(open("/dev/null"), termios.TIOCSTI, b"x")`, syscall.EPERM),
		"the same with high bits":         refusal("libc.syscall(ctypes.c_long("+strconv.Itoa(unix.SYS_IOCTL)+"), 0, ctypes.c_ulong(0x100005412), 0)", syscall.EPERM),
		"a user namespace":                refusal("libc.unshare(0x10000000 | 0x80000000)", syscall.EPERM),
		"io_uring":                        refusal("libc.syscall("+strconv.Itoa(unix.SYS_IO_URING_SETUP)+", 0, 0)", syscall.ENOSYS),
		"the keyring":                     refusal("libc.syscall("+strconv.Itoa(unix.SYS_KEYCTL)+", 99)", syscall.EPERM),
	} {
		if code, doc := g.bash(command); code != 0 {
			t.Errorf("%s: fails without a sandbox: %v", name, doc)
		}
		g.write("data/file", "content\n")
		if code, doc := g.bash(command, "--sandbox"); code == 0 {
			t.Errorf("%s: not denied: %v", name, doc)
		}
	}
}

// TestSandboxNetwork: no socket of any family is to be had, and nobody reaches a listener on this machine.
func TestSandboxNetwork(t *testing.T) {
	g := newGround(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	connect := python(fmt.Sprintf(`import socket; socket.create_connection(("127.0.0.1", %d), 5)`, listener.Addr().(*net.TCPAddr).Port))
	commands := []string{connect, "exec 3<>/dev/udp/127.0.0.1/9"}
	for _, family := range []string{"AF_INET6", "AF_NETLINK", "AF_UNIX"} {
		commands = append(commands, python(fmt.Sprintf(`import socket; socket.socket(socket.%s, socket.SOCK_RAW if "%s" == "AF_NETLINK" else socket.SOCK_STREAM)`, family, family)))
	}
	for _, command := range commands {
		if code, doc := g.bash(command); code != 0 {
			t.Errorf("%s fails without a sandbox: %v", command, doc)
		}
		if code, doc := g.bash(command, "--sandbox"); code == 0 {
			t.Errorf("%s: not denied: %v", command, doc)
		}
	}
	for net, want := range map[string]bool{"{net: true}": true, "{net: false}": false, "{}": true} {
		g.sandboxed("reach", net, connect)
		if out := g.rye("execute", "tool:reach"); (out.code == 0) != want {
			t.Errorf("sandbox: %s: connecting works: %t\n%+v", net, !want, out)
		}
	}
	g.sandboxed("reach", "{fs: {}}", connect)
	if out := g.rye("execute", "--sandbox", "tool:reach"); out.code == 0 {
		t.Error("--sandbox opens the network to a tool that does not ask for it")
	}
}

// sandboxed writes a tool that runs a shell command and declares a sandbox.
func (g *ground) sandboxed(name, sandbox, command string) {
	g.Helper()
	quoted, _ := json.Marshal(command)
	g.write(".ai/tools/"+name+".yaml", `version: "1.0.0"
tool_type: bash
executor_id: rye/core/runtimes/bash/bash
description: "Runs one command"
sandbox: `+sandbox+`
config:
  args: ["-c", `+string(quoted)+`]
`)
	g.sign()
}

// TestSandboxAllows: what tools need works in it.
func TestSandboxAllows(t *testing.T) {
	g := newGround(t)
	t.Cleanup(func() { // pinned copies are read-only
		filepath.WalkDir(g.home, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, 0o700)
			}
			return err
		})
	})
	g.secrets()
	for _, command := range []string{
		"cat data/file && ls", "echo x > /dev/null", "echo x > /dev/stderr", "echo x > $TMPDIR/a && cat $TMPDIR/a && mkdir $TMPDIR/b && mv $TMPDIR/a $TMPDIR/b",
		python("import tempfile, subprocess; tempfile.TemporaryFile(); subprocess.run([\"true\"], check=True)"),
		python("import socket; socket.socketpair()"), python("import threading; t = threading.Thread(); t.start(); t.join()"),
		`node -e 'require("fs").readFileSync("data/file")'`, "seq 100000 | sort | tail -1 > $TMPDIR/x", "mkdir -p $TMPDIR/a/b && chmod 500 $TMPDIR/a/b $TMPDIR/a",
	} {
		if code, doc := g.bash(command, "--sandbox"); code != 0 {
			t.Errorf("%s: %v", command, doc)
		}
	}
	g.write(".ai/tools/py.py", `"""A function."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
def execute(params, project_path):
    return {"content": open(project_path + "/data/file").read()}
`)
	g.write(".ai/tools/js.js", `const __version__ = "1.0.0"; const __tool_type__ = "node";
const __executor_id__ = "rye/core/runtimes/node/node"; const __description__ = "A script";
console.log(JSON.stringify({content: require("fs").readFileSync("data/file", "utf8")}));
`)
	g.sign()
	for _, args := range [][]string{{"tool:py"}, {"tool:js"}, {"--pin", "tool:py"}, {"tool:rye/file-system/read", "--path", "data/file"}} {
		out := g.rye(append([]string{"execute", "--sandbox"}, args...)...)
		if out.code != 0 || !strings.Contains(out.stdout, "content") {
			t.Errorf("%v: %+v", args, out)
		}
	}
	if left, err := filepath.Glob(filepath.Join(g.home, ".cache/rye/sandbox/*")); err != nil || len(left) > 0 {
		t.Errorf("private folders are left: %v, %v", left, err)
	}
}

// TestSandboxDeclared: what a tool declares counts, and cannot open what is protected.
func TestSandboxDeclared(t *testing.T) {
	g := newGround(t)
	g.secrets()
	g.write("out/file", "x")
	for _, c := range []struct{ sandbox, command, skipped string }{
		{"{fs: {write: [out]}}", "touch out/new && ! touch data/new", ""},
		{`{fs: {write: ["{project_path}/out"]}}`, "touch out/new && ! touch data/new", ""},
		{"{fs: {write: [.]}}", "touch data/new && ! touch new && ! touch .ai/tools/new && ! mv .ai x && ! ln -s /tmp .ai/x", ""},
		{"{fs: {read: [out]}}", "cat out/file && ! cat data/file", ""},
		{"{fs: {read: []}}", "! cat out/file && ! cat data/file", ""},
		{"{fs: {read: [~/.ssh]}}", "cat ~/.ssh/id", ""},
		{"{fs: {read: ['~'], write: ['~']}}", "cat ~/.ssh/id && ! cat ~/.ai/config/keys/signing/private_key.pem && ! touch ~/.ai/x", ""},
		{"{fs: {read: [link]}}", "! cat link/id", "link: leads out of the project"},
		{"{fs: {read: [../]}}", "! ls ..", "../: leads out of the project"},
		{"{fs: {write: [.ai/tools]}}", "! touch .ai/tools/new", "rye keeps it from tools"},
		{"{fs: {read: [~/.ai/config/keys]}}", "! cat ~/.ai/config/keys/signing/private_key.pem", "rye keeps it from tools"},
		{"{fs: {write: [absent]}}", "! touch absent", "absent: does not exist"},
	} {
		g.sandboxed("declared", c.sandbox, c.command)
		out := g.rye("execute", "tool:declared")
		if out.code != 0 || !strings.Contains(out.stdout, c.skipped) {
			t.Errorf("sandbox: %s: %s (skipped: %q)\n%+v", c.sandbox, c.command, c.skipped, out)
		}
		os.RemoveAll(filepath.Join(g.project, "data/new"))
	}
	g.write(".ai/tools/narrow.yaml", `version: "1.0.0"
tool_type: runtime
executor_id: rye/core/runtimes/bash/bash
description: "Only out, and no network"
sandbox: {fs: {write: [out]}, net: false}
`)
	g.write(".ai/tools/wide.yaml", `version: "1.0.0"
tool_type: bash
executor_id: narrow
description: "Wants more than its runtime gives"
sandbox: {fs: {write: [., /tmp]}, net: true}
config:
  args: ["-c", "touch out/new && ! touch data/new && ! exec 3<>/dev/udp/127.0.0.1/9"]
`)
	g.sign()
	if out := g.rye("execute", "tool:wide"); out.code != 0 {
		t.Errorf("a tool against its runtime: %+v", out)
	}
}

// TestSandboxMisspelt: a key that means nothing would leave open what it was to close.
func TestSandboxMisspelt(t *testing.T) {
	g := newGround(t)
	for sandbox, complaint := range map[string]string{
		"{network: false}": "network", "{fs: {wirte: []}}": "wirte", "true": "must be a map", "{net: no way}": "true or false",
		"{fs: {read: data}}": "list of strings",
	} {
		g.write(".ai/tools/bad.yaml", "version: \"1.0.0\"\ntool_type: bash\nexecutor_id: rye/core/runtimes/bash/bash\ndescription: x\nsandbox: "+sandbox+"\n")
		if out := g.rye("sign", "tool:bad"); out.code == 0 || !strings.Contains(out.stdout+out.stderr, complaint) {
			t.Errorf("sandbox: %s: %+v", sandbox, out)
		}
	}
}
