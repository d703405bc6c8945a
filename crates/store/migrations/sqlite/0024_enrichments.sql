-- What the program says about entries besides their publishers: results, which entry shows which, and what they cost.

-- Whether a user sees it at all, and what they chose for a feed: `off`, `local`, `model`.
ALTER TABLE users ADD COLUMN ai INTEGER NOT NULL DEFAULT 1;
ALTER TABLE subscriptions ADD COLUMN ai TEXT;

-- What was made of one text; `key` is a hash of the columns up to `scope`. `scope` is 0 for everybody, else a feed.
CREATE TABLE enrichment_results (
    key        BLOB NOT NULL PRIMARY KEY,
    kind       TEXT NOT NULL,
    text_hash  BLOB NOT NULL,
    language   TEXT NOT NULL,
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    prompt     TEXT NOT NULL,
    scope      INTEGER NOT NULL,
    -- What lists show: one line, or the calm title; how loud the title is, in thousandths.
    line       TEXT,
    score      INTEGER,
    -- NULL: it failed for good, see `failed`.
    body       TEXT,
    failed     TEXT,
    took_us    INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX enrichment_results_text ON enrichment_results (text_hash);
CREATE INDEX enrichment_results_created ON enrichment_results (created_at);

-- What an entry shows of a kind, or why it shows nothing. `content_hash` is that of the entry, `text_hash` that of the text that
-- was used, which may be the full text.
CREATE TABLE enrichments (
    entry_id     INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    text_hash    BLOB NOT NULL,
    result       BLOB,
    why          TEXT,
    detail       TEXT,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (entry_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX enrichments_content ON enrichments (content_hash);
CREATE INDEX enrichments_result ON enrichments (result) WHERE result IS NOT NULL;

-- One row for every attempt that may cost money. Amounts are billionths of a dollar.
CREATE TABLE ai_ledger (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    at            INTEGER NOT NULL,
    month         TEXT NOT NULL,
    day           TEXT NOT NULL,
    kind          TEXT NOT NULL,
    provider      TEXT NOT NULL,
    model         TEXT NOT NULL,
    entry_id      INTEGER NOT NULL,
    -- `reserved`, `settled` or `released`.
    state         TEXT NOT NULL,
    reserved      INTEGER NOT NULL,
    spent         INTEGER NOT NULL DEFAULT 0,
    -- How much of the reservation its end gave back to the month.
    freed         INTEGER NOT NULL DEFAULT 0,
    tokens_in     INTEGER NOT NULL DEFAULT 0,
    tokens_out    INTEGER NOT NULL DEFAULT 0,
    outcome       TEXT,
    detail        TEXT,
    -- A reservation that is not settled by then is released.
    expires_at    INTEGER NOT NULL,
    settled_at    INTEGER
) STRICT;
CREATE INDEX ai_ledger_reserved ON ai_ledger (expires_at) WHERE state = 'reserved';
CREATE INDEX ai_ledger_at ON ai_ledger (at);

-- Spent and reserved in a month, in all, on the day, per kind; and the ceilings that an operator set for this month.
CREATE TABLE ai_months (
    month         TEXT NOT NULL PRIMARY KEY,
    spent         INTEGER NOT NULL DEFAULT 0,
    day           TEXT NOT NULL DEFAULT '',
    day_spent     INTEGER NOT NULL DEFAULT 0,
    summary_spent INTEGER NOT NULL DEFAULT 0,
    tags_spent    INTEGER NOT NULL DEFAULT 0,
    deframe_spent INTEGER NOT NULL DEFAULT 0,
    month_cap     INTEGER,
    day_cap       INTEGER,
    summary_cap   INTEGER,
    tags_cap      INTEGER,
    deframe_cap   INTEGER
) STRICT, WITHOUT ROWID;

-- For charts.
CREATE TABLE ai_days (
    day        TEXT NOT NULL,
    kind       TEXT NOT NULL,
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    calls      INTEGER NOT NULL DEFAULT 0,
    failed     INTEGER NOT NULL DEFAULT 0,
    cached     INTEGER NOT NULL DEFAULT 0,
    tokens_in  INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0,
    spent      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, kind, provider, model)
) STRICT, WITHOUT ROWID;

-- What all processes know of a provider; every change moves the version.
CREATE TABLE ai_state (
    provider           TEXT NOT NULL PRIMARY KEY,
    version            INTEGER NOT NULL,
    breaker            TEXT NOT NULL,
    failures           INTEGER NOT NULL,
    half_successes     INTEGER NOT NULL,
    opened_at          INTEGER,
    last_call_at       INTEGER,
    last_success_at    INTEGER,
    last_failure_at    INTEGER,
    rate_limited_until INTEGER
) STRICT, WITHOUT ROWID;
