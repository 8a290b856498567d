CREATE TABLE queue (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: an acknowledgement cannot hit a later message
    thread_id  TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
    payload    TEXT NOT NULL,                     -- JSON
    attempts   INTEGER NOT NULL DEFAULT 0,
    visible_at TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX idx_queue_thread ON queue (thread_id);

CREATE TABLE thread_values (
    thread_id  TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL, -- compact JSON, never null
    updated_at TEXT NOT NULL,
    PRIMARY KEY (thread_id, key)
) STRICT;
