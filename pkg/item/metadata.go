package item

// Metadata is what an item says about itself, whatever language it is written in (spec/rye-core §2.2).
type Metadata struct {
	Version     string
	ToolType    string
	Category    string
	Description string

	// ExecutorID is the next element of the chain. Declared tells whether the file names one at all; a declared null is
	// a terminal element, a missing one is a file that is not an executable item.
	ExecutorID       string
	ExecutorDeclared bool

	ExecutionOwner string // "engine" (default) or "callee"
	NativeAsync    bool
	NativeResume   bool
	AllowedThreads []string
	AllowedTargets []string

	ConfigSchema  *Object
	EnvConfig     *EnvConfig
	Config        *Object
	ConfigResolve []ConfigSpec
	ConfigByPath  bool // config_resolve was a list: results are keyed by path
	Anchor        *Anchor
	VerifyDeps    *VerifyDeps
	Sandbox       *Sandbox

	Inputs           []string
	Outputs          []string
	ChildConstraints map[string]VersionRange

	Document *Document // everything the file declared, for readers of other kinds and for error positions
}

// EnvConfig is `env_config`: the interpreter to find and the variables to set (seed 000, spec/rye-core §4).
type EnvConfig struct {
	Interpreter *Interpreter
	Env         *Object  // name → literal or template, expanded in order
	Pass        []string // variables of the caller's environment that pass even when the environment is minimal
	Secrets     []string // variables whose values are never shown, besides those whose names look secret
}

// Interpreter is `env_config.interpreter` (seed 000, spec/rye-core §4.2).
type Interpreter struct {
	Type        string // local_binary, system_binary, command
	Var         string
	Binary      string
	Candidates  []string
	SearchPaths []string
	SearchRoots []string
	ResolveCmd  []string
	Fallback    string
}

// ConfigSpec is one entry of `config_resolve`: a path below `.ai/config/` and how its tiers combine (seed 001).
type ConfigSpec struct {
	Path string
	Mode string // deep_merge or first_match
}

// Anchor is `anchor`: the root that a tool's modules are loaded from (seeds 000 and 001, design §2 row 6).
type Anchor struct {
	Enabled    bool
	Mode       string // auto, always, never
	MarkersAny []string
	Root       string // tool_dir, tool_parent, project_path
	Lib        string
	Cwd        string
	EnvPaths   []EnvPath

	ActiveEnv   *Object // variables to set while the anchor is active
	InactiveEnv *Object // and while it is not
}

// EnvPath is one variable of `anchor.env_paths`: directories to put before and after its value.
type EnvPath struct {
	Name    string
	Prepend []string
	Append  []string
}

// VerifyDeps is `verify_deps`: which files must be signed before the tool may run (seed 001, spec/rye-core §5.2).
type VerifyDeps struct {
	Enabled     bool
	Scope       string // anchor, tool_dir, tool_siblings, tool_file
	Recursive   bool
	Extensions  []string
	ExcludeDirs []string
}

// Sandbox is `sandbox`: what a run may touch. nil means that the element does not say.
type Sandbox struct {
	Read  []string // `fs.read`: relative to the project, or with ~ or a variable of rye in front
	Write []string // `fs.write`, likewise
	Net   *bool
}

// VersionRange is one entry of `child_constraints`, both ends inclusive, empty for open.
type VersionRange struct{ Min, Max string }
