-- Every service writes events: what one is about may be a feed, an entry with its feed, a user, a site, or nothing. What it
-- says besides is JSON in the shape of its kind, with the version of that shape.
-- `detail` stays for processes of an earlier version that still run; nothing writes it any more.
-- SQLite cannot allow NULL in a column that is there: the table is made anew, every event with its id.
CREATE TABLE outbox_new (
    id       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    feed_id  INTEGER,
    entry_id INTEGER,
    detail   TEXT,
    user_id  INTEGER,
    site     TEXT,
    version  INTEGER NOT NULL DEFAULT 1,
    payload  TEXT
) STRICT;
INSERT INTO outbox_new (id, at, kind, feed_id, entry_id, payload)
SELECT id, at, kind, feed_id, entry_id,
       CASE WHEN detail IS NOT NULL THEN json_object(
           CASE WHEN kind IN ('feed.added', 'feed.moved') THEN 'url' WHEN kind = 'entry.gone' THEN 'reason'
                ELSE 'message' END,
           detail) END
FROM outbox ORDER BY id;
DROP TABLE outbox;
ALTER TABLE outbox_new RENAME TO outbox;
CREATE INDEX outbox_at ON outbox (at);
