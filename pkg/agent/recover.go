package agent

import "github.com/ryeos/rye/pkg/record"

// interruption is what the calls are told that got no answer.
func (r Reason) interruption() string {
	switch r {
	case AbortedByUser:
		return "stopped by the user"
	case WasTerminated:
		return "the thread was terminated"
	}
	return "interrupted by restart: it may have done its work, or part of it"
}

// recover takes up what a dead process left: a call that was running gets an error and is not run again, because tools
// have effects; a response that was stored is not asked for again.
func (f *flow) recover() error {
	return f.update(func(tx record.Tx, t *Thread) error {
		return f.interrupt(tx, t, Aborted.interruption())
	})
}

// interrupt closes every row that is not whole.
func (f *flow) interrupt(tx record.Tx, t *Thread, why string) error {
	found, err := f.closePending(tx, t, why)
	if err != nil {
		return err
	}
	logs, err := modelLogs.list(tx, t.ID, record.Range{Last: true, Limit: 1})
	if err != nil {
		return err
	}
	for _, log := range logs {
		if log.Ended.IsZero() {
			log.Ended, log.Error, log.ErrorType = f.now(), why, "interrupted_incomplete"
			if err := modelLogs.put(tx, t.ID, log.ID, &log); err != nil {
				return err
			}
		}
	}
	if found {
		f.fetched = false
		return f.note(tx, t.ID, "interrupted", Metadata{"error": why})
	}
	return nil
}

// closePending ends rows that a model or a tool was at work on.
func (f *flow) closePending(tx record.Tx, t *Thread, why string) (found bool, err error) {
	rows, err := openRows.list(tx, t.ID, record.Range{})
	if err != nil {
		return false, err
	}
	for i := range rows {
		m := &rows[i]
		found = true
		m.Status, m.Ended = Failed, f.now()
		if m.Role == ToolRole {
			result, err := answerOfChild(tx, t.ID, m)
			if err != nil {
				return found, err
			}
			if result == nil {
				result = &ToolResult{Error: why, ErrorCode: "interrupted", Subagent: m.Subagent}
			}
			m.answer(result, result.Attachments)
		}
		if err := storeMessage(tx, t.ID, m); err != nil {
			return found, err
		}
	}
	return found, nil
}

// refuseCalls answers the calls of the open response that were never begun.
func (f *flow) refuseCalls(tx record.Tx, t *Thread, why string) error {
	if t.Session.Open == "" {
		return nil
	}
	response, err := messages.get(tx, t.ID, t.Session.Open)
	if err != nil || response == nil {
		return err
	}
	rows, err := messages.list(tx, t.ID, record.Range{After: response.ID})
	if err != nil {
		return err
	}
	answered := map[string]bool{}
	for _, m := range rows {
		if m.Role == ToolRole && m.Answers == response.ID {
			answered[m.ToolCallID] = true
		}
	}
	for _, call := range response.ToolCalls {
		if answered[call.ID] {
			continue
		}
		m := &Message{Role: ToolRole, Side: response.Side, Name: call.Name, ToolCallID: call.ID, Answers: response.ID, Created: f.now(), Ended: f.now()}
		m.answer(&ToolResult{Error: why, ErrorCode: "interrupted"}, nil)
		if err := appendMessage(tx, t.ID, m); err != nil {
			return err
		}
	}
	return nil
}
