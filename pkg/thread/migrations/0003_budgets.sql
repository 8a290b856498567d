CREATE TABLE budgets (
    thread_id TEXT PRIMARY KEY REFERENCES threads (thread_id) ON DELETE CASCADE,
    parent_id TEXT REFERENCES budgets (thread_id)
) STRICT;

CREATE INDEX idx_budgets_parent ON budgets (parent_id);

-- One line for each unit. It counts the thread and all below it. The check is the promise of the ledger: what is used and
-- what may still be used never exceed the cap together. What was spent beyond every promise is recorded apart.
CREATE TABLE budget_lines (
    thread_id TEXT NOT NULL REFERENCES budgets (thread_id) ON DELETE CASCADE,
    unit      TEXT NOT NULL,
    cap       INTEGER,
    used      INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0),
    reserved  INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    overspent INTEGER NOT NULL DEFAULT 0 CHECK (overspent >= 0),
    PRIMARY KEY (thread_id, unit),
    CHECK (cap IS NULL OR used + reserved <= cap)
) STRICT;

CREATE TABLE reservations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id  TEXT NOT NULL REFERENCES budgets (thread_id) ON DELETE CASCADE,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX idx_reservations_thread ON reservations (thread_id);

CREATE TABLE reservation_lines (
    reservation_id INTEGER NOT NULL REFERENCES reservations (id) ON DELETE CASCADE,
    unit           TEXT NOT NULL,
    amount         INTEGER NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (reservation_id, unit)
) STRICT;
