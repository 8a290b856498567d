PRAGMA application_id = 1920558452; -- "ryet"

CREATE TABLE threads (
    seq                    INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of registration: clocks jump, this does not
    thread_id              TEXT NOT NULL UNIQUE,
    directive              TEXT NOT NULL,                     -- the item's canonical reference, of tools too
    parent_id              TEXT REFERENCES threads (thread_id),
    status                 TEXT NOT NULL,
    revision               INTEGER NOT NULL DEFAULT 0,        -- counts changes of status and runner, to compare and swap
    created_at             TEXT NOT NULL,
    updated_at             TEXT NOT NULL,
    started_at             TEXT,
    completed_at           TEXT,
    cancel_requested_at    TEXT,
    request                TEXT,                              -- JSON: what was asked for, to ask for it again
    result                 TEXT,                              -- JSON
    exit_code              INTEGER,
    error                  TEXT,
    error_type             TEXT,
    evidence               TEXT,                              -- JSON: what is known of a lost thread
    pid                    INTEGER,                           -- the launcher's, then the runner's
    pid_start              INTEGER,
    pid_boot               TEXT,
    model                  TEXT,
    tool_id                TEXT,
    turns                  INTEGER NOT NULL DEFAULT 0,
    input_tokens           INTEGER NOT NULL DEFAULT 0,
    output_tokens          INTEGER NOT NULL DEFAULT 0,
    spawn_count            INTEGER NOT NULL DEFAULT 0,
    spend_micros           INTEGER NOT NULL DEFAULT 0,        -- money is never a float; spend is for readers
    spend                  REAL GENERATED ALWAYS AS (spend_micros / 1000000.0) VIRTUAL,
    continuation_of        TEXT,
    continuation_thread_id TEXT,
    chain_root_id          TEXT
) STRICT;

-- Each index ends in the rowid, which is seq: newest first needs no sorting.
CREATE INDEX idx_threads_parent ON threads (parent_id);
CREATE INDEX idx_threads_status ON threads (status);
CREATE INDEX idx_threads_directive ON threads (directive);
CREATE INDEX idx_threads_chain ON threads (chain_root_id) WHERE chain_root_id IS NOT NULL;

CREATE TABLE events (
    thread_id TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
    seq       INTEGER NOT NULL,
    at        TEXT NOT NULL,
    type      TEXT NOT NULL,
    payload   TEXT NOT NULL, -- JSON
    PRIMARY KEY (thread_id, seq)
) STRICT;

CREATE TRIGGER events_are_append_only BEFORE UPDATE ON events
BEGIN
    SELECT RAISE (ABORT, 'events are append-only');
END;

-- Threads whose rows are gone and whose folders are not yet.
CREATE TABLE removals (thread_id TEXT PRIMARY KEY) STRICT;
