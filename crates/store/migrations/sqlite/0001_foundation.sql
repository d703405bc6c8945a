-- The ground: feeds and their schedule, entries, what was fetched, what happened, who reads.
-- Times are microseconds since 1970 UTC. Hot tables (entries and below, visits, outbox) carry no foreign keys:
-- their rows are written and removed together, by explicit steps of one batch.

CREATE TABLE settings (
    key        TEXT PRIMARY KEY,
    value      TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE locks (
    name         TEXT PRIMARY KEY,
    holder       TEXT NOT NULL,
    token        INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    role       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE categories (
    id         INTEGER PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    parent_id  INTEGER REFERENCES categories (id) ON DELETE SET NULL,
    name       TEXT NOT NULL,
    position   INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX categories_name ON categories (user_id, coalesce(parent_id, 0), name);
CREATE INDEX categories_parent ON categories (parent_id);

CREATE TABLE feeds (
    id                   INTEGER PRIMARY KEY,
    uuid                 BLOB NOT NULL UNIQUE,
    url                  TEXT NOT NULL,
    owner_id             INTEGER REFERENCES users (id) ON DELETE CASCADE,
    kind                 TEXT NOT NULL,
    title                TEXT,
    site_url             TEXT,
    description          TEXT,
    language             TEXT,
    root_domain          TEXT,
    domain_rule          TEXT NOT NULL,
    polling              INTEGER NOT NULL,
    state                TEXT NOT NULL,
    state_reason         TEXT,
    state_since          INTEGER NOT NULL,
    guid_collisions      INTEGER NOT NULL DEFAULT 0,
    guid_unreliable      INTEGER NOT NULL DEFAULT 0,
    allow_duplicate_urls INTEGER NOT NULL DEFAULT 0,
    created_at           INTEGER NOT NULL,
    updated_at           INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX feeds_url ON feeds (url, coalesce(owner_id, 0));
CREATE INDEX feeds_root_domain ON feeds (root_domain);

CREATE TABLE subscriptions (
    id          INTEGER PRIMARY KEY,
    user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    feed_id     INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
    category_id INTEGER NOT NULL REFERENCES categories (id),
    title       TEXT,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX subscriptions_feed ON subscriptions (user_id, feed_id);
CREATE INDEX subscriptions_of_feed ON subscriptions (feed_id);
CREATE INDEX subscriptions_category ON subscriptions (category_id);

-- A lease is the due time moved forward: `worker` set and `due_at` in the future. `slot_at` is a slot that was
-- reserved but is still to come; `going_at` is set while a visit is under way.
CREATE TABLE schedule (
    feed_id         INTEGER PRIMARY KEY REFERENCES feeds (id) ON DELETE CASCADE,
    runnable        INTEGER NOT NULL,
    due_at          INTEGER,
    token           INTEGER NOT NULL DEFAULT 0,
    worker          TEXT,
    slot_at         INTEGER,
    going_at        INTEGER,
    rate_group      TEXT NOT NULL,
    visits          INTEGER NOT NULL DEFAULT 0,
    readings        INTEGER NOT NULL DEFAULT 0,
    etag            TEXT,
    last_modified   TEXT,
    cache_control   TEXT,
    expires_at      INTEGER,
    retry_after_at  INTEGER,
    last_visit_at   INTEGER,
    last_success_at INTEGER,
    last_status     INTEGER,
    last_error_at   INTEGER,
    last_error      TEXT,
    failures        INTEGER NOT NULL DEFAULT 0,
    interval_us     INTEGER NOT NULL DEFAULT 0,
    because         TEXT NOT NULL,
    reason          TEXT NOT NULL,
    decided_at      INTEGER NOT NULL,
    new_entries     INTEGER NOT NULL DEFAULT 0,
    ewma_us         INTEGER,
    body_hash       BLOB
) STRICT;
CREATE INDEX schedule_due ON schedule (due_at) WHERE runnable AND due_at IS NOT NULL;
CREATE INDEX schedule_in_flight ON schedule (rate_group) WHERE going_at IS NOT NULL;

-- `next_free_at` is the first slot nobody has reserved, `next_go_at` the first moment a visit may begin.
CREATE TABLE rate_groups (
    name         TEXT PRIMARY KEY,
    next_free_at INTEGER NOT NULL DEFAULT 0,
    next_go_at   INTEGER NOT NULL DEFAULT 0,
    paused_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Gives out the ids of entries and events inside the commit, so that id order is commit order.
CREATE TABLE arrival (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    entries INTEGER NOT NULL,
    events  INTEGER NOT NULL
) STRICT;
INSERT INTO arrival (one, entries, events) VALUES (1, 0, 0);

CREATE TABLE entries (
    id            INTEGER PRIMARY KEY,
    feed_id       INTEGER NOT NULL,
    uid           TEXT NOT NULL,
    title         TEXT,
    excerpt       TEXT,
    link          TEXT,
    author        TEXT,
    published_at  INTEGER,
    updated_at    INTEGER,
    first_seen_at INTEGER NOT NULL,
    sort_at       INTEGER NOT NULL,
    content_hash  BLOB NOT NULL,
    raw_hash      BLOB NOT NULL,
    quiet         INTEGER NOT NULL,
    since_reading INTEGER NOT NULL,
    last_seen_at  INTEGER,
    seen_count    INTEGER
) STRICT;
CREATE UNIQUE INDEX entries_uid ON entries (uid, feed_id);
CREATE INDEX entries_feed ON entries (feed_id, id);
CREATE INDEX entries_feed_sort ON entries (feed_id, sort_at, id);
CREATE INDEX entries_sort ON entries (sort_at, id);
CREATE INDEX entries_present ON entries (feed_id) WHERE last_seen_at IS NULL;

CREATE TABLE entry_bodies (
    entry_id   INTEGER PRIMARY KEY,
    summary    TEXT,
    content    TEXT,
    authors    TEXT,
    categories TEXT,
    enclosures TEXT,
    language   TEXT,
    raw_fetch  BLOB,
    raw_offset INTEGER,
    raw_length INTEGER
) STRICT;

CREATE TABLE entry_revisions (
    entry_id     INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    replaced_at  INTEGER NOT NULL,
    title        TEXT,
    link         TEXT,
    content_hash BLOB NOT NULL,
    summary      TEXT,
    content      TEXT,
    authors      TEXT,
    categories   TEXT,
    enclosures   TEXT,
    language     TEXT,
    raw_fetch    BLOB,
    raw_offset   INTEGER,
    raw_length   INTEGER,
    PRIMARY KEY (entry_id, number)
) STRICT, WITHOUT ROWID;

-- `entry_id` NULL is a tombstone: the entry was purged and must not come back as new until `expires_at`.
CREATE TABLE entry_keys (
    feed_id    INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    hash       BLOB NOT NULL,
    entry_id   INTEGER,
    expires_at INTEGER,
    PRIMARY KEY (feed_id, kind, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_keys_expired ON entry_keys (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE raw_fetches (
    id               BLOB PRIMARY KEY,
    feed_id          INTEGER NOT NULL,
    fetched_at       INTEGER NOT NULL,
    url              TEXT NOT NULL,
    status           INTEGER NOT NULL,
    request_headers  TEXT NOT NULL,
    response_headers TEXT NOT NULL,
    blob_hash        BLOB NOT NULL,
    coding           TEXT NOT NULL,
    at_rest          TEXT NOT NULL,
    wire_bytes       INTEGER NOT NULL,
    stored_bytes     INTEGER NOT NULL,
    decoded_bytes    INTEGER NOT NULL,
    content_type     TEXT,
    truncated        INTEGER NOT NULL,
    problems         TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX raw_fetches_feed ON raw_fetches (feed_id, fetched_at DESC);
CREATE INDEX raw_fetches_blob ON raw_fetches (blob_hash);

-- A ring of the last 50 visits of each feed.
CREATE TABLE visits (
    feed_id         INTEGER NOT NULL,
    slot            INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    status          INTEGER,
    result          TEXT NOT NULL,
    error           TEXT,
    took_us         INTEGER NOT NULL,
    wire_bytes      INTEGER NOT NULL,
    decoded_bytes   INTEGER NOT NULL,
    new_entries     INTEGER NOT NULL,
    changed_entries INTEGER NOT NULL,
    next_at         INTEGER,
    interval_us     INTEGER NOT NULL,
    reason          TEXT NOT NULL,
    PRIMARY KEY (feed_id, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
    id       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    feed_id  INTEGER NOT NULL,
    entry_id INTEGER,
    detail   TEXT
) STRICT;
