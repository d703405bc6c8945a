-- Header fields of visits of which no body was kept, and what was wrong with a document.

-- A ring of a few sets for each feed: a visit that was answered like an earlier one refers to that one's.
CREATE TABLE visit_headers (
    feed_id          BIGINT NOT NULL,
    slot             BIGINT NOT NULL,
    at               BIGINT NOT NULL,
    url              TEXT NOT NULL,
    status           BIGINT NOT NULL,
    request_headers  JSONB NOT NULL,
    response_headers JSONB NOT NULL,
    PRIMARY KEY (feed_id, slot)
);

-- The visit that header fields were last stored with, and what they come to.
ALTER TABLE schedule ADD COLUMN headers_at BIGINT;
ALTER TABLE schedule ADD COLUMN headers_mark BIGINT;
-- The visit with which the fields of this one lie, in `raw_fetches` or in `visit_headers`.
ALTER TABLE visits ADD COLUMN headers_at BIGINT;
ALTER TABLE visits ADD COLUMN problems TEXT;
