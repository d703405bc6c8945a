-- What the operator's room and the app show: sums of visits by hour, and columns that lists need.

-- Sums of visits. `hour` is the moment it begins.
CREATE TABLE visit_hours (
    hour            INTEGER PRIMARY KEY,
    success         INTEGER NOT NULL,
    not_modified    INTEGER NOT NULL,
    error           INTEGER NOT NULL,
    new_entries     INTEGER NOT NULL,
    changed_entries INTEGER NOT NULL,
    bytes           INTEGER NOT NULL,
    bytes_saved     INTEGER NOT NULL,
    -- The intervals that were chosen, in seconds.
    interval_s      INTEGER NOT NULL,
    took_us         INTEGER NOT NULL
) STRICT;
-- How long visits took, by class.
CREATE TABLE visit_hour_latencies (
    hour   INTEGER NOT NULL,
    class  INTEGER NOT NULL,
    visits INTEGER NOT NULL,
    PRIMARY KEY (hour, class)
) STRICT, WITHOUT ROWID;
CREATE TABLE visit_hour_errors (
    hour     INTEGER NOT NULL,
    code     TEXT NOT NULL,
    visits   INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (hour, code)
) STRICT, WITHOUT ROWID;
-- `host` is '' for hosts that are not named.
CREATE TABLE visit_hour_hosts (
    hour           INTEGER NOT NULL,
    host           TEXT NOT NULL,
    visits         INTEGER NOT NULL,
    errors         INTEGER NOT NULL,
    busy           INTEGER NOT NULL,
    bytes          INTEGER NOT NULL,
    first_error_at INTEGER,
    last_error_at  INTEGER,
    PRIMARY KEY (hour, host)
) STRICT, WITHOUT ROWID;
CREATE TABLE visit_hour_feeds (
    hour        INTEGER NOT NULL,
    feed_id     INTEGER NOT NULL,
    new_entries INTEGER NOT NULL,
    errors      INTEGER NOT NULL,
    PRIMARY KEY (hour, feed_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX visit_hour_feeds_feed ON visit_hour_feeds (feed_id);
-- The number of the last flush of each process: what is sent twice counts once.
CREATE TABLE rollup_flushes (
    worker TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The size of the last full answer, as it came.
ALTER TABLE schedule ADD COLUMN full_bytes INTEGER;
-- The smoothed gap between entries that the decision knew.
ALTER TABLE visits ADD COLUMN ewma_us INTEGER;

-- What a list shows of an entry besides; NULL for what arrived before.
ALTER TABLE entries ADD COLUMN image TEXT;
ALTER TABLE entries ADD COLUMN language TEXT;
ALTER TABLE entries ADD COLUMN comments_url TEXT;
ALTER TABLE entries ADD COLUMN enclosure_kind TEXT;

-- The place of a feed in its category.
ALTER TABLE subscriptions ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
-- Where the feed was before it moved for good.
ALTER TABLE feeds ADD COLUMN moved_from TEXT;
-- What became of each line of an import: a JSON array.
ALTER TABLE imports ADD COLUMN lines TEXT;
-- What a sweep was about: `all`, `category` or `feed`.
ALTER TABLE sweeps ADD COLUMN scope TEXT;
