package agent

import "github.com/ryeos/rye/pkg/record"

// Payload is what a terminal tool says to the parent.
type Payload struct {
	Message     string
	Attachments []string
}

// payload takes the parent's message out of the call of a bound tool.
func payload(b Binding, response, result *Message) *Payload { return nil }

// report tells the parent of the end of a session, in the same transaction.
func (f *flow) report(tx record.Tx, t *Thread, agent *Agent, e ending) error { return nil }

// afterReport wakes the parent that report has queued something for.
func (f *flow) afterReport() {}

// childStatus stores a thread's state in the registry of its parent.
func (r *Runtime) childStatus(tx record.Tx, t *Thread, s Status) error { return nil }

// publishStatus does what a side's SessionStatus tool asks for.
func (f *flow) publishStatus(side *Side, response *Message, results []Message) error { return nil }
