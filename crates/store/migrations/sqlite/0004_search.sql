-- Entries that say something else than when they were indexed, or are gone. New ones need no row: the index knows up to
-- which id it has come. The index itself lies in a file of its own.
CREATE TABLE index_queue (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    entry_id INTEGER NOT NULL
) STRICT;
