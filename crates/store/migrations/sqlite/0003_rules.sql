-- What decisions remember from visit to visit, and rules of a feed's own.

ALTER TABLE schedule ADD COLUMN busy INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN ttl_minutes INTEGER;
ALTER TABLE schedule ADD COLUMN skip_hours INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN skip_days INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN rhythm BLOB;
ALTER TABLE schedule ADD COLUMN outcomes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN gone_since INTEGER;
ALTER TABLE schedule ADD COLUMN move_to TEXT;
ALTER TABLE schedule ADD COLUMN move_answers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN move_since INTEGER;
ALTER TABLE schedule ADD COLUMN quota_day INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN quota_used INTEGER NOT NULL DEFAULT 0;

-- A JSON object of texts, by key.
ALTER TABLE feeds ADD COLUMN rules TEXT;

-- What each rule said, one per line.
ALTER TABLE visits ADD COLUMN trace TEXT;
