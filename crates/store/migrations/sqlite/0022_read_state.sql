-- What users have read (docs/notes/read-state.md).
--
-- An entry is unread for a user if their mark says so; without a mark, if it came after the watermark of their
-- subscription and is not quiet.

-- How many entries came that count as unread, since the feed was added; never less than before.
ALTER TABLE schedule ADD COLUMN arrivals INTEGER NOT NULL DEFAULT 0;
-- How many entries are stored.
ALTER TABLE schedule ADD COLUMN entries INTEGER NOT NULL DEFAULT 0;
UPDATE schedule SET
    entries = (SELECT count(*) FROM entries e WHERE e.feed_id = schedule.feed_id),
    arrivals = (SELECT count(*) FROM entries e WHERE e.feed_id = schedule.feed_id AND NOT e.quiet);

ALTER TABLE subscriptions ADD COLUMN watermark INTEGER NOT NULL DEFAULT 0;
-- Unread entries when the feed had `seen_arrivals` of them; now: unread + arrivals - seen_arrivals.
ALTER TABLE subscriptions ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subscriptions ADD COLUMN seen_arrivals INTEGER NOT NULL DEFAULT 0;
-- When the watermark moved last.
ALTER TABLE subscriptions ADD COLUMN swept_at INTEGER;
-- Since when the user is not subscribed any more: subscribing again brings everything back, for 30 days.
ALTER TABLE subscriptions ADD COLUMN hidden_at INTEGER;
ALTER TABLE subscriptions ADD COLUMN in_all INTEGER NOT NULL DEFAULT 1;
ALTER TABLE subscriptions ADD COLUMN sort TEXT;
ALTER TABLE subscriptions ADD COLUMN full_text TEXT;
UPDATE subscriptions SET
    unread = (SELECT arrivals FROM schedule s WHERE s.feed_id = subscriptions.feed_id),
    seen_arrivals = (SELECT arrivals FROM schedule s WHERE s.feed_id = subscriptions.feed_id);
CREATE INDEX subscriptions_hidden ON subscriptions (hidden_at) WHERE hidden_at IS NOT NULL;

CREATE TABLE marks (
    user_id  INTEGER NOT NULL,
    feed_id  INTEGER NOT NULL,
    entry_id INTEGER NOT NULL,
    read     INTEGER NOT NULL,
    -- A filter of the user took it out of their lists; it is read as well.
    muted    INTEGER NOT NULL DEFAULT 0,
    -- Whether the entry is quiet, so that counting needs no other table.
    quiet    INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (user_id, feed_id, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX marks_entry ON marks (entry_id);
CREATE INDEX marks_unread ON marks (user_id, feed_id, entry_id) WHERE NOT read;
CREATE INDEX marks_muted ON marks (user_id, feed_id, entry_id) WHERE muted;
-- What a user has read, in the order in which they did.
CREATE INDEX marks_history ON marks (user_id, at, entry_id) WHERE read AND NOT muted;

-- One "mark all as read", until it cannot be undone any more.
CREATE TABLE sweeps (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX sweeps_user ON sweeps (user_id);
CREATE INDEX sweeps_at ON sweeps (at);
CREATE TABLE sweep_feeds (
    sweep_id         INTEGER NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
    feed_id          INTEGER NOT NULL,
    watermark_before INTEGER NOT NULL,
    watermark_after  INTEGER NOT NULL,
    swept_before     INTEGER,
    -- How many entries became read by it.
    marked           INTEGER NOT NULL,
    -- Entries between the two watermarks that are not quiet; NULL when some were deleted since.
    loud_between     INTEGER,
    PRIMARY KEY (sweep_id, feed_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_feeds_feed ON sweep_feeds (feed_id);
-- Unread marks that the sweep took away.
CREATE TABLE sweep_marks (
    sweep_id INTEGER NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
    feed_id  INTEGER NOT NULL,
    entry_id INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (sweep_id, feed_id, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_marks_entry ON sweep_marks (entry_id);
