// Package agent runs agents: models that talk, call tools and go on until they are done. It is a library and owns nothing of
// the world. It opens no socket and starts no process, reads no clock and schedules nothing; what it needs is in its Config,
// and a program that embeds it decides what that is.
//
// # Words
//
// A thread is a conversation that lasts: its messages, its files, its values, its variables and its log. It belongs to an
// Agent, which has two sides. Side A is the agent itself. Side B is a person ([Human]) or a second prompt ([Dual]), and then
// the two models talk to each other.
//
// A step is one request to a model and the tools that its answer calls. A turn is what a side says before it is the other's
// turn: one step or more. A session is one autonomous run, from the message that starts it to the [Reason] that ends it; the
// thread stays, and the next message begins another session. Files of rye count steps and call them turns.
//
// A flow is the right of one process to run a thread. There is one for each thread at most, however many processes share
// the storage.
//
// # The life of a message
//
// [Runtime.Send] queues a message; that is a transaction, and the message is safe when Send returns. Nothing runs yet: Env.Wake
// tells the program that the thread has work, or [Runtime.Pending] does. [Runtime.Run] takes the flow and does this until there is
// nothing left to do:
//
//  1. drain: everything in the queue becomes messages, in its order. The first one's author decides whose turn it is.
//  2. assemble: the system prompt, the history from the side's point of view, and the tools that its prompt lists.
//  3. call: the model is asked, again after a while if its provider says so, and its fallbacks after it.
//  4. persist: the answer is stored. It is never asked for again.
//  5. tools: the calls run one after another, each stored before the next begins.
//  6. stop: session tools first, then the stop tool, then an answer without calls, then limits.
//
// When the queue is empty and the session over, Run gives the flow up, in the same transaction in which it saw that, and
// returns the [Outcome]. A message that arrives while a thread is at work is in its next request. [Runtime.Deliver] is Send
// and Run.
//
// A model that fails is an Outcome; errors are for storages that fail, threads that are busy, unknown or terminated, and
// contexts that end. A tool that fails is told to the model and ends nothing.
//
// # What lasts
//
// Everything is a document of package record, and what belongs together is written in one transaction. A process may die at
// any moment. The next Run, anywhere, finds its flow without a sign of life, takes the thread over and goes on where it was:
// an answer that was stored is acted on, and a call that was running is not run again, because tools have effects; it gets an
// error that says so, and the model decides. A process that was only asleep cannot write any more: the id of its flow is
// checked in every transaction.
//
// [Runtime.Stop] ends what a thread does now; a message of a person takes that back. [Runtime.Terminate] is for good: what was
// stored stays, and nothing can be sent any more. Both reach the process that runs the thread within a second.
//
// # Tools
//
// A prompt lists the names that its model may call. A name is, in this order, one of the engine's own tools, a function of
// the [Hook], a prompt, or an agent:
//
//   - A function runs wherever the program wants; a [Toolbox] has functions in Go, and a [Composite] puts hooks together.
//   - A prompt is asked once, with tools of its own, and what it says is the result.
//   - An agent that talks with people takes the thread over.
//   - An agent of two models, and every other that its entry makes a [Subagent], gets a thread of its own: the caller waits
//     for it, or hears of it later.
//
// A Call carries a [State], by which tools read and write the messages, files, values and variables of their thread, send
// messages, schedule effects and find parent and children.
//
// # Bounds
//
// An agent has [Limits]: steps, tokens, money, time, children. What a child uses counts for its parents, and it never gets
// more than they have left. Without limits a session ends after [DefaultHardSteps] steps, and when tools fail with the same
// error again and again. History that has grown too long for the model is replaced by a summary, and the messages stay; or the
// session ends there ([FailThere]).
//
// What others say is bounded as well. An answer of a model has at most 16777216 bytes ([MaxAnswer]) and 128 calls ([MaxCalls]);
// of what a tool says 262144 bytes ([MaxResult]) reach the history, its head and its tail; 10000 messages may wait for a thread
// ([MaxQueue]).
//
// So is what a thread keeps: a key of its values has at most 512 bytes ([MaxKey]), a value 1048576 bytes of JSON
// ([MaxValue]), a thread 10000 values ([MaxValues]), 1000 effects ([MaxEffects]) and 100 subagents that wait for variables
// ([MaxRequests]); a file has at most 33554432 bytes ([MaxFile]). An error says which bound it was.
//
// # Embedding
//
// A program needs a [Provider] (a [ProviderFunc] will do), [Definitions] (a [Catalog] will do), a storage (record.NewMemory,
// or the registry of package thread), and a [Clock] (package clock). An [Env] is its world: embed [NopEnv] and define what
// there is. The example below is a whole program.
//
// A program that shares its storage with others, or that starts again, runs what [Runtime.Pending] lists. Now and then it calls
// [Runtime.Tick], which runs the effects that are due, and [Runtime.Reconcile] for threads with children, whose process may
// have died.
package agent
