package thread

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/ryeos/rye/pkg/item"
)

// Evidence is what is known of a thread that was lost. The exit code of its run is not.
type Evidence struct {
	Reason    string            `json:"reason"`
	Was       Status            `json:"was"`
	Lock      string            `json:"lock"` // free, missing or unknown
	PID       int               `json:"pid,omitempty"`
	LastEvent *Event            `json:"last_event,omitempty"`
	LogTails  map[string]string `json:"log_tails,omitempty"` // by file, in the thread's folder

	Killed    int `json:"killed,omitempty"`    // processes that the runner left behind and that were ended
	Survivors int `json:"survivors,omitempty"` // and those that could not be
}

// tailLength is how much of the end of each log is kept, in bytes.
const tailLength = 2048

// logNames are the logs of a thread (design §6).
var logNames = []string{logName(Stdout), logName(Stderr), logName(Runner)}

// collect adds the last event and the ends of the logs.
func (s *Store) collect(ctx context.Context, id string, e *Evidence) error {
	row := s.db.QueryRowContext(ctx, `SELECT seq, at, type, payload FROM events WHERE thread_id = ? ORDER BY seq DESC LIMIT 1`, id)
	switch last, err := scanEvent(row.Scan); {
	case err == nil:
		e.LastEvent = &last
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	for _, name := range logNames {
		if text := s.tail(id, name); text != "" {
			if e.LogTails == nil {
				e.LogTails = map[string]string{}
			}
			e.LogTails[name] = text
		}
	}
	return nil
}

// tail reads the end of a log. Secrets were taken out when it was written. A log that cannot be read is no evidence, and
// no reason to leave a thread unsettled.
func (s *Store) tail(id, name string) string {
	f, err := s.openFile(id, name, os.O_RDONLY)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-tailLength), tailLength))
	if err != nil {
		return ""
	}
	return item.CleanText(string(data))
}

func (e *Evidence) encode() (string, error) {
	data, err := json.Marshal(e)
	return string(data), err
}
