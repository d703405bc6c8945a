-- What cleanups did, and where the full text of articles will be.

-- One row per cleanup; entries that went are counted by the rule that took them.
CREATE TABLE cleanup_log (
    id                INTEGER PRIMARY KEY,
    at                INTEGER NOT NULL,
    old               INTEGER NOT NULL,
    read_long_ago     INTEGER NOT NULL,
    beyond_limit      INTEGER NOT NULL,
    unread_too_long   INTEGER NOT NULL,
    full_text_cleared INTEGER NOT NULL,
    raw_fetches       INTEGER NOT NULL,
    raw_bytes         INTEGER NOT NULL,
    log_rows          INTEGER NOT NULL,
    bytes_before      INTEGER NOT NULL,
    bytes_after       INTEGER NOT NULL,
    read_for_us       INTEGER
) STRICT;
CREATE INDEX cleanup_log_at ON cleanup_log (at);

-- Whether `entry_bodies.full_text` is there: told by the narrow table, so that a cleanup need not touch the wide one.
ALTER TABLE entries ADD COLUMN full_text INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry_bodies ADD COLUMN full_text TEXT;
