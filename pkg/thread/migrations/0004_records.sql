-- What was made for the agent runtime before its needs were known. Nothing ever wrote into these.
DROP TABLE queue;
DROP TABLE thread_values;

-- The documents of the agent runtime: package record. Those of the thread '' belong to none, so there is no reference.
CREATE TABLE buckets (
    id        INTEGER PRIMARY KEY,
    thread_id TEXT,          -- null if its thread is gone: the documents are there for nobody, and prune removes them
    bucket    TEXT NOT NULL,
    UNIQUE (thread_id, bucket)
) STRICT;

-- A document is cut into pieces of which eight fill a page. Uncut, one of 2 KiB would have a page of 4 KiB for itself.
CREATE TABLE pieces (
    bucket_id INTEGER NOT NULL REFERENCES buckets (id) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    part      INTEGER NOT NULL, -- from 0; an empty document is one empty piece
    piece     BLOB NOT NULL,
    PRIMARY KEY (bucket_id, name, part)
) STRICT, WITHOUT ROWID;

-- They may be many, so that they are only cut off here.
CREATE TRIGGER documents_go_with_their_thread AFTER DELETE ON threads
BEGIN
    UPDATE buckets SET thread_id = NULL WHERE thread_id = OLD.thread_id;
END;

-- The documents in one piece each, for reading. ORDER BY inside of group_concat would close the database to older SQLite.
CREATE VIEW documents AS
    SELECT thread_id, bucket, name, (
        SELECT group_concat(CAST(piece AS TEXT), '') FROM (
            SELECT piece FROM pieces WHERE bucket_id = first.bucket_id AND name = first.name ORDER BY part
        )
    ) AS document
    FROM buckets JOIN pieces AS first ON first.bucket_id = buckets.id WHERE first.part = 0 AND thread_id IS NOT NULL;
