-- Entries that say something else than when they were indexed, or are gone. New ones need no row: the index knows up to
-- which id it has come.
CREATE TABLE index_queue (
    id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entry_id BIGINT NOT NULL
);

-- The words of entries, and marks; `token` moves with every write.
CREATE TABLE entry_search (
    entry_id BIGINT PRIMARY KEY,
    tsv      TSVECTOR NOT NULL
);
-- What waits to be merged into the index is read by every search: it stays small.
CREATE INDEX entry_search_tsv ON entry_search USING gin (tsv) WITH (gin_pending_list_limit = 512);

CREATE TABLE search_state (
    one     BIGINT PRIMARY KEY CHECK (one = 1),
    token   BIGINT NOT NULL,
    upto    BIGINT NOT NULL,
    seen_at BIGINT
);
INSERT INTO search_state (one, token, upto) VALUES (1, 0, 0);
