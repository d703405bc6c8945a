-- Visits hop by hop: whom a feed is being asked for right now, where its validators came from, how it is reached, and
-- the icons of sites.

-- Where the last success ended, if not at the feed's own URL.
ALTER TABLE schedule ADD COLUMN final_url TEXT;
-- The group a visit under way is at; redirects may lead to another than the feed's own.
ALTER TABLE schedule ADD COLUMN going_group TEXT;
UPDATE schedule SET going_group = rate_group WHERE going_at IS NOT NULL;
DROP INDEX schedule_in_flight;
CREATE INDEX schedule_in_flight ON schedule (going_group) WHERE going_at IS NOT NULL;

ALTER TABLE feeds ADD COLUMN user_agent TEXT;
-- Proxy and credentials, sealed.
ALTER TABLE feeds ADD COLUMN access BLOB;

-- One row per site that was asked; without a blob it has no icon that we would show.
CREATE TABLE icons (
    site       TEXT PRIMARY KEY,
    url        TEXT,
    media_type TEXT,
    bytes      BLOB,
    checked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
