"""Not this docstring."""
__version__ = "1.2.3"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/script"
__category__ = "demo/tools"
__tool_description__ = "Counts words"
__execution_owner__ = "callee"
__native_async__ = True
__native_resume__ = False
__allowed_threads__ = ["inline"]
__allowed_targets__ = ["local", "remote"]
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "default": 10}},
    "required": ["path"],
}
ENV_CONFIG = {
    "interpreter": {
        "type": "local_binary", "var": "RYE_PYTHON", "binary": "python3", "candidates": ["python"],
        "search_paths": [".venv/bin"], "search_roots": ["{anchor_path}"], "resolve_cmd": [], "fallback": "python3",
    },
    "env": {"Z": "1", "A": "${Z:-x}", "N": 8080, "RATIO": 0.5, "ON": True},
    "pass": ["GITHUB_TOKEN"],
}
CONFIG = {"command": "${RYE_PYTHON}", "args": ["{tool_path}", "--limit", "3"], "timeout": 300}
CONFIG_RESOLVE = [{"path": "demo/words.yaml", "mode": "first_match"}, {"path": "demo/more.yaml"}]
anchor = {
    "enabled": True, "mode": "always", "markers_any": ["pyproject.toml"], "root": "tool_parent", "lib": "lib",
    "cwd": "{anchor_path}",
    "env_paths": {"PYTHONPATH": {"prepend": ["{anchor_path}", "{runtime_lib}"]}, "PATH": {"append": ["bin"]}},
}
verify_deps = {"enabled": True, "scope": "tool_dir", "recursive": False, "extensions": [".py"], "exclude_dirs": ["x"]}
INPUTS = [{"name": "text", "type": "string"}, "flags"]
OUTPUTS = {"count": {"type": "integer"}, "words": None}
CHILD_CONSTRAINTS = {"rye/bash": {"min_version": "1.0.0", "max_version": "2.0.0"}, "rye/python": {}}
