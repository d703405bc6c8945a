-- Background work of all services: at most one job of a kind for a subject.
-- Ids are never reused: a lease names a job by id and token.
CREATE TABLE jobs (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    priority   INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 2),
    -- When it is due; while it is leased, when the lease ends. NULL: it was given up.
    due_at     INTEGER,
    -- The time from which due_at was computed: a clock that was ahead is noticed by it.
    decided_at INTEGER NOT NULL,
    -- Asked for again while it was leased: due at this time when the lease ends.
    wanted_at  INTEGER,
    token      INTEGER NOT NULL DEFAULT 0,
    worker     TEXT,
    attempts   INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (kind, subject)
) STRICT;
CREATE INDEX jobs_due ON jobs (kind, priority, due_at) WHERE due_at IS NOT NULL;
