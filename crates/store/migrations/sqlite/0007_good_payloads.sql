-- Which raw fetches were feeds; edits of a day; where the next gap between entries begins.

-- What was fetched before is taken for a feed: nearly all of it was.
ALTER TABLE raw_fetches ADD COLUMN understood INTEGER NOT NULL DEFAULT 1;

ALTER TABLE schedule ADD COLUMN quota_edits INTEGER NOT NULL DEFAULT 0;
-- When the newest entry known so far was published.
ALTER TABLE schedule ADD COLUMN last_arrival_at INTEGER;
