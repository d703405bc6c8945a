-- What the operator's room and the app show: sums of visits by hour, and columns that lists need.

-- Sums of visits. `hour` is the moment it begins.
CREATE TABLE visit_hours (
    hour            BIGINT PRIMARY KEY,
    success         BIGINT NOT NULL,
    not_modified    BIGINT NOT NULL,
    error           BIGINT NOT NULL,
    new_entries     BIGINT NOT NULL,
    changed_entries BIGINT NOT NULL,
    bytes           BIGINT NOT NULL,
    bytes_saved     BIGINT NOT NULL,
    -- The intervals that were chosen, in seconds.
    interval_s      BIGINT NOT NULL,
    took_us         BIGINT NOT NULL
);
-- How long visits took, by class.
CREATE TABLE visit_hour_latencies (
    hour   BIGINT NOT NULL,
    class  BIGINT NOT NULL,
    visits BIGINT NOT NULL,
    PRIMARY KEY (hour, class)
);
CREATE TABLE visit_hour_errors (
    hour     BIGINT NOT NULL,
    code     TEXT NOT NULL,
    visits   BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at  BIGINT NOT NULL,
    PRIMARY KEY (hour, code)
);
-- `host` is '' for hosts that are not named.
CREATE TABLE visit_hour_hosts (
    hour           BIGINT NOT NULL,
    host           TEXT NOT NULL,
    visits         BIGINT NOT NULL,
    errors         BIGINT NOT NULL,
    busy           BIGINT NOT NULL,
    bytes          BIGINT NOT NULL,
    first_error_at BIGINT,
    last_error_at  BIGINT,
    PRIMARY KEY (hour, host)
);
CREATE TABLE visit_hour_feeds (
    hour        BIGINT NOT NULL,
    feed_id     BIGINT NOT NULL,
    new_entries BIGINT NOT NULL,
    errors      BIGINT NOT NULL,
    PRIMARY KEY (hour, feed_id)
);
CREATE INDEX visit_hour_feeds_feed ON visit_hour_feeds (feed_id);
-- The number of the last flush of each process: what is sent twice counts once.
CREATE TABLE rollup_flushes (
    worker TEXT PRIMARY KEY,
    number BIGINT NOT NULL,
    at     BIGINT NOT NULL
);

-- The size of the last full answer, as it came.
ALTER TABLE schedule ADD COLUMN full_bytes BIGINT;
-- The smoothed gap between entries that the decision knew.
ALTER TABLE visits ADD COLUMN ewma_us BIGINT;

-- What a list shows of an entry besides; NULL for what arrived before.
ALTER TABLE entries ADD COLUMN image TEXT;
ALTER TABLE entries ADD COLUMN language TEXT;
ALTER TABLE entries ADD COLUMN comments_url TEXT;
ALTER TABLE entries ADD COLUMN enclosure_kind TEXT;

-- The place of a feed in its category.
ALTER TABLE subscriptions ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
-- Where the feed was before it moved for good.
ALTER TABLE feeds ADD COLUMN moved_from TEXT;
-- What became of each line of an import: a JSON array.
ALTER TABLE imports ADD COLUMN lines TEXT;
-- What a sweep was about: `all`, `category` or `feed`.
ALTER TABLE sweeps ADD COLUMN scope TEXT;
