#!/usr/bin/env node
import { type Config } from "./config"; // `not a template

export const __version__ = "1.2.3" as const;
export const __tool_type__: string = 'python'
export const __executor_id__ = "rye/core/" + "runtimes/python/script";
export const __category__ = `demo/tools`, __tool_description__ = "Counts \u0077ords";
export const __execution_owner__: "engine" | "callee" = "callee";
export const __native_async__ = true, __native_resume__: boolean = (false);
export const __allowed_threads__ = ["inline"] as const;
export const __allowed_targets__: Array<string>= ["local", "remote",];
export const CONFIG_SCHEMA: { type: string; properties?: object } = Object.freeze({
  type: "object", // }
  properties: { path: { type: "string" }, ["limit"]: { type: 'integer', default: 0xA } },
  required: ["path"],
} as const);
const ENV_CONFIG: Record<string, { a: number }> = {
  interpreter: {
    type: "local_binary", var: "RYE_PYTHON", binary: "python3", candidates: ["python"],
    search_paths: [".venv/bin"], search_roots: ["{anchor_path}"], resolve_cmd: [], fallback: "python3",
  },
  env: { Z: "1", A: "${Z:-x}", N: 8_080, RATIO: .5, ON: true },
  pass: ["GITHUB_TOKEN"],
} satisfies Config;
exports.CONFIG = { command: "${RYE_PYTHON}", args: ["{tool_path}", "--limit", "3"], timeout: 3e2 }
module.exports.CONFIG_RESOLVE = [{ path: "demo/words.yaml", mode: "first_match" }, { path: "demo/more.yaml" }];
let anchor = {
  enabled: true, mode: "always", markers_any: ["pyproject.toml"], root: "tool_parent", lib: "lib",
  cwd: "{anchor_path}",
  env_paths: { PYTHONPATH: { prepend: ["{anchor_path}", "{runtime_lib}"] }, PATH: { append: ["bin"] } },
};
var verify_deps = { enabled: true, scope: "tool_dir", recursive: false, extensions: [".py"], exclude_dirs: ["x"] };
const INPUTS = [{ name: "text", type: "string" }, "flags"], OUTPUTS = { count: { type: "integer" }, words: null };
const CHILD_CONSTRAINTS = { "rye/bash": { min_version: "1.0.0", max_version: "2.0.0" }, "rye/python": {} };

export function run(text: string): { count: number } {
  const CONFIG = /["'`{]/.test(text) ? 1 : 2;
  return { count: CONFIG };
}
