package hostile

// Mark is Python that leaves a mark: the file that MARK names. Program is a shell script that does so.
const (
	Mark    = "import os\nopen(os.environ['MARK'], 'w').close()\n"
	Program = "#!/bin/sh\n: > \"$MARK.planted\"\n"
)

// Programs are names under which a planted program would be run in place of an interpreter, or of rye.
var Programs = []string{"python3", "python", "node", "tsx", "bash", "sh", "env", "git", "rye"}

// Modules are Python files that an interpreter imports by itself or before the standard library's, if they lie where it
// looks first.
var Modules = []string{
	"planted.py", "inspect.py", "json.py", "site.py", "sitecustomize.py", "usercustomize.py", "asyncio/__init__.py",
	"importlib/__init__.py", "_asyncio.py",
}
