package thread

import (
	"database/sql"
	"encoding/json"
	"time"

	"github.com/ryeos/rye/pkg/item"
	"github.com/ryeos/rye/pkg/process"
)

// Thread is one row of the registry. The result, which may be large, is asked for by itself: Store.Result.
type Thread struct {
	ID       string          `json:"thread_id"`
	Item     string          `json:"directive"` // canonical reference, of tools too
	Tool     string          `json:"tool_id,omitempty"`
	Parent   string          `json:"parent_id,omitempty"`
	Model    string          `json:"model,omitempty"`
	Request  json.RawMessage `json:"request,omitempty"`
	Status   Status          `json:"status"`
	ExitCode *int            `json:"exit_code,omitempty"`

	Error     string         `json:"error,omitempty"`
	ErrorType item.ErrorType `json:"error_type,omitempty"`
	Evidence  *Evidence      `json:"evidence,omitempty"` // of a lost thread

	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
	StartedAt       time.Time `json:"started_at,omitzero"`
	CompletedAt     time.Time `json:"completed_at,omitzero"`
	CancelRequested time.Time `json:"cancel_requested_at,omitzero"`

	// Runner is the process that the thread depends on: first the one that registered it.
	Runner process.Identity `json:"-"`
	PID    int              `json:"pid,omitempty"`

	Usage

	ContinuationOf string `json:"continuation_of,omitempty"`
	ContinuedBy    string `json:"continuation_thread_id,omitempty"`
	ChainRoot      string `json:"chain_root_id,omitempty"`

	Seq      int64 `json:"seq"` // the order of registration, and the cursor of a list
	revision int64
}

// Usage is what a thread has used so far.
type Usage struct {
	Turns        int64 `json:"turns"`
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	Spawned      int64 `json:"spawn_count"`
	SpendMicros  int64 `json:"spend_micros"` // millionths of the currency
}

const columns = `seq, thread_id, directive, tool_id, parent_id, model, request, status, revision, exit_code, error, error_type,
	evidence, created_at, updated_at, started_at, completed_at, cancel_requested_at, pid, pid_start, pid_boot,
	turns, input_tokens, output_tokens, spawn_count, spend_micros, continuation_of, continuation_thread_id, chain_root_id`

// scanThread reads the columns.
func scanThread(scan func(...any) error) (Thread, error) {
	var t Thread
	var tool, parent, model, request, failure, failureType, evidence, boot, of, by, root sql.NullString
	var created, updated, started, completed, cancel sql.NullString
	var exit, pid, start sql.NullInt64
	err := scan(&t.Seq, &t.ID, &t.Item, &tool, &parent, &model, &request, &t.Status, &t.revision, &exit, &failure, &failureType,
		&evidence, &created, &updated, &started, &completed, &cancel, &pid, &start, &boot,
		&t.Turns, &t.InputTokens, &t.OutputTokens, &t.Spawned, &t.SpendMicros, &of, &by, &root)
	if err != nil {
		return Thread{}, err
	}
	t.Tool, t.Parent, t.Model, t.Error, t.ErrorType = tool.String, parent.String, model.String, failure.String, item.ErrorType(failureType.String)
	t.ContinuationOf, t.ContinuedBy, t.ChainRoot = of.String, by.String, root.String
	t.CreatedAt, t.UpdatedAt, t.StartedAt = instant(created), instant(updated), instant(started)
	t.CompletedAt, t.CancelRequested = instant(completed), instant(cancel)
	t.Runner = process.Identity{PID: int(pid.Int64), Start: uint64(start.Int64), Boot: boot.String}
	t.PID = t.Runner.PID
	if request.Valid {
		t.Request = json.RawMessage(request.String)
	}
	if exit.Valid {
		code := int(exit.Int64)
		t.ExitCode = &code
	}
	if evidence.Valid {
		if err := json.Unmarshal([]byte(evidence.String), &t.Evidence); err != nil {
			return Thread{}, err
		}
	}
	return t, nil
}

// scanThreads reads every row and closes them.
func scanThreads(rows *sql.Rows, err error) ([]Thread, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	threads := []Thread{}
	for rows.Next() {
		t, err := scanThread(rows.Scan)
		if err != nil {
			return nil, err
		}
		threads = append(threads, t)
	}
	return threads, rows.Err()
}

// null stores the empty string as NULL.
func null[T ~string | ~[]byte](s T) any {
	if len(s) == 0 {
		return nil
	}
	return string(s)
}
