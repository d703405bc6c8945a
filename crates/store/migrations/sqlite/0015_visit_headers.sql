-- Header fields of visits of which no body was kept, and what was wrong with a document.

-- A ring of a few sets for each feed: a visit that was answered like an earlier one refers to that one's.
CREATE TABLE visit_headers (
    feed_id          INTEGER NOT NULL,
    slot             INTEGER NOT NULL,
    at               INTEGER NOT NULL,
    url              TEXT NOT NULL,
    status           INTEGER NOT NULL,
    request_headers  TEXT NOT NULL,
    response_headers TEXT NOT NULL,
    PRIMARY KEY (feed_id, slot)
) STRICT, WITHOUT ROWID;

-- The visit that header fields were last stored with, and what they come to.
ALTER TABLE schedule ADD COLUMN headers_at INTEGER;
ALTER TABLE schedule ADD COLUMN headers_mark INTEGER;
-- The visit with which the fields of this one lie, in `raw_fetches` or in `visit_headers`.
ALTER TABLE visits ADD COLUMN headers_at INTEGER;
ALTER TABLE visits ADD COLUMN problems TEXT;
