package agent

import (
	"encoding/json"
	"time"
)

// Definitions finds what threads run by name: items of signed files, or a Catalog made by the program. What it returns is
// not changed by the engine. A name that it does not know is an error of type not_found.
type Definitions interface {
	Agent(name string) (*Agent, error)
	Prompt(name string) (*Prompt, error)
	Model(name string) (*Model, error)
}

// Kind tells what happens when side A has finished its turn.
type Kind string

// Kinds of agents (seed 004 §4, §5.3).
const (
	Human Kind = "ai_human" // side B is a person: the thread waits for their next message
	Dual  Kind = "dual_ai"  // side B is a second prompt: the two talk until one of them stops the session
)

// Agent is who takes part in a thread, and when they stop (spec/agent-runtime A2).
type Agent struct {
	Name            string            `json:"name"`
	Kind            Kind              `json:"type,omitempty"` // Human if empty
	Title           string            `json:"title,omitempty"`
	Description     string            `json:"description,omitempty"`
	SideA           Side              `json:"side_a"`
	SideB           Side              `json:"side_b,omitzero"` // of a dual_ai agent
	MaxSessionTurns int               `json:"max_session_turns,omitempty"`
	ExposeAsTool    bool              `json:"expose_as_tool,omitempty"`
	ToolDescription string            `json:"tool_description,omitempty"`
	Env             map[string]string `json:"env,omitempty"`
	Limits          Limits            `json:"limits,omitzero"`
	CompactAt       int               `json:"compact_at,omitempty"`       // tokens of context; DefaultCompactAt if 0, never if negative
	OnContextLimit  ContextPolicy     `json:"on_context_limit,omitempty"` // what happens there; Compact if empty
	Digest          string            `json:"digest,omitempty"`           // of the signed file: a thread that goes on notices another one
}

// ContextPolicy says what happens to a thread whose history has become too long (spec/agent-runtime D4 #10).
type ContextPolicy string

// Policies.
const (
	Compact   ContextPolicy = "compact" // a summary takes the place of what came before
	FailThere ContextPolicy = "error"   // the session ends: a summary might leave out what matters
)

// Side is one of the two parties of a thread.
type Side struct {
	Prompt string `json:"prompt"`
	Label  string `json:"label,omitempty"`

	KeepGoing        bool    `json:"keep_going,omitempty"`         // stopOnResponse: false; a text without tool calls does not end the turn
	StopTool         string  `json:"stop_tool,omitempty"`          // the turn ends when this tool succeeded
	StopToolResponse string  `json:"stop_tool_response,omitempty"` // the argument of the stop tool that becomes what the side said
	MaxSteps         int     `json:"max_steps,omitempty"`          // in a session
	SessionStop      Binding `json:"session_stop,omitzero"`        // ends the session: done
	SessionFail      Binding `json:"session_fail,omitzero"`        // ends the session: failed
	Nudges           int     `json:"nudges,omitempty"`             // reminders to a side that talks instead of calling its SessionStop
	SessionStatus    Binding `json:"session_status,omitzero"`      // says to the parent how far it is
}

// Binding names a tool of the prompt that means something to the thread.
type Binding struct {
	Tool        string `json:"tool"`
	Message     string `json:"message,omitempty"`     // the argument with the message for the parent
	Attachments string `json:"attachments,omitempty"` // the argument with a list of paths
}

// Prompt is what a side says to its model before every step.
type Prompt struct {
	Name             string            `json:"name"`
	Description      string            `json:"description,omitempty"` // for models that may call it as a tool
	Parts            []PromptPart      `json:"parts"`
	Model            string            `json:"model"`
	IncludeChat      bool              `json:"include_chat,omitempty"`       // the model sees the history of the thread
	IncludePastTools bool              `json:"include_past_tools,omitempty"` // and the side's tool calls of earlier turns
	Parallel         bool              `json:"parallel_tool_calls,omitempty"`
	ToolChoice       string            `json:"tool_choice,omitempty"` // auto if empty, none, required
	Schema           json.RawMessage   `json:"schema,omitempty"`      // JSON schema of the arguments of the prompt as a tool
	Tools            []Tool            `json:"tools,omitempty"`
	Variables        []Variable        `json:"variables,omitempty"`
	Env              map[string]string `json:"env,omitempty"`
	Reasoning        Reasoning         `json:"reasoning,omitzero"`
	RecentImages     int               `json:"recent_image_threshold,omitempty"`
	ProviderOptions  json.RawMessage   `json:"provider_options,omitempty"`
}

// Reasoning is what a model is told about thinking before it answers. The zero value leaves it to the model.
type Reasoning struct {
	Effort    string `json:"effort,omitempty"`     // low, medium, high
	MaxTokens int    `json:"max_tokens,omitempty"` // for thinking
	Exclude   bool   `json:"exclude,omitempty"`    // it thinks, and what it thought is not sent
}

// PromptPart is a piece of a prompt: exactly one of its fields is set.
type PromptPart struct {
	Text    string `json:"text,omitempty"`    // {{name}} stands for an argument of the thread
	Include string `json:"include,omitempty"` // another prompt's parts
	Env     string `json:"env,omitempty"`     // a variable, nothing if it has no value; never a secret
}

// Variable is what a prompt wants to know of the environment.
type Variable struct {
	Name        string `json:"name"`
	Secret      bool   `json:"secret,omitempty"`
	Required    bool   `json:"required,omitempty"`
	Scoped      bool   `json:"scoped,omitempty"` // not inherited: each child gets a value of its own
	Description string `json:"description,omitempty"`
}

// Tool is a name that a prompt's model may call. What it stands for is found by the name: a function of the Hook, a
// prompt, or an agent.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"` // instead of the one of what it stands for

	// Of functions.
	Env     map[string]string `json:"env,omitempty"`     // variables, for calls of this tool
	Options json.RawMessage   `json:"options,omitempty"` // an object that the function gets as it is, in Call.Options

	// Of prompts as tools.
	OmitText   bool `json:"omit_text,omitempty"`
	OmitCalls  bool `json:"omit_tool_calls,omitempty"`
	OmitErrors bool `json:"omit_errors,omitempty"`

	// Arguments that become the first message, its attachments and the name. Without InitMessage the message is the
	// JSON of all arguments.
	InitMessage     string `json:"init_user_message_property,omitempty"`
	InitAttachments string `json:"init_attachments_property,omitempty"`
	InitName        string `json:"init_agent_name_property,omitempty"`

	Subagent *Subagent `json:"subagent,omitempty"` // of agents as tools that run in a thread of their own
}

// Subagent says how a prompt uses another agent (spec/agent-runtime A2).
type Subagent struct {
	Background bool       `json:"background,omitempty"` // blocking: false; the result comes later, as a message
	Optional   string     `json:"optional,omitempty"`   // there only if this variable is true, 1 or yes
	Immediate  *Immediate `json:"immediate,omitempty"`  // started before the first step
	Resumable  *Resumable `json:"resumable,omitempty"`  // stays there for more messages
}

// Immediate says what a child that is started unasked is told.
type Immediate struct {
	NameEnv        string   `json:"name_env,omitempty"`        // a variable with a hint of the child's name
	DescriptionEnv string   `json:"description_env,omitempty"` // and of what it shall do; models see these two
	ScopedEnv      []string `json:"scoped_env,omitempty"`      // variables that move into the child; models never see them
}

// Resumable is a child that is spoken to more than once.
type Resumable struct {
	Receives     string `json:"receives_messages"`              // side_a: a message is the user's, and side A answers; side_b
	MaxInstances int    `json:"max_instances,omitempty"`        // no bound if 0
	Explicit     bool   `json:"parent_communication,omitempty"` // the parent hears only what the child's tools tell it
}

// Model is what a provider is asked for.
type Model struct {
	Name       string   `json:"name"`
	ID         string   `json:"model"` // the provider's name of it
	Provider   string   `json:"provider,omitempty"`
	Fallbacks  []string `json:"fallbacks,omitempty"` // names of models to ask when this one fails
	Vision     bool     `json:"vision,omitempty"`
	MaxContext int      `json:"max_context_tokens,omitempty"`
	Price      Price    `json:"price,omitzero"`
}

// Price is in millionths of the currency of budgets, for a million tokens.
type Price struct {
	Input, Cached, Output int64
}

// Limits bound what a thread uses. Zero is no bound; a child never gets more than its parent has left.
type Limits struct {
	Steps      int           `json:"turns,omitempty"` // calls of a model: what files of rye call turns
	Tokens     int64         `json:"tokens,omitempty"`
	Spend      int64         `json:"spend_micros,omitempty"`
	Duration   time.Duration `json:"duration,omitempty"`
	Spawns     int           `json:"spawns,omitempty"`     // children in its life
	Depth      int           `json:"depth,omitempty"`      // of children below it
	Concurrent int           `json:"concurrent,omitempty"` // children at a time, DefaultConcurrent if 0
	Threads    int           `json:"threads,omitempty"`    // in its tree, DefaultThreads if 0
	HardSteps  int           `json:"hard_steps,omitempty"` // in a session, DefaultHardSteps if 0
}
