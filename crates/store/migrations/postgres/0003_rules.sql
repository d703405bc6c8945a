-- What decisions remember from visit to visit, and rules of a feed's own.

ALTER TABLE schedule ADD COLUMN busy BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN ttl_minutes BIGINT;
ALTER TABLE schedule ADD COLUMN skip_hours BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN skip_days BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN rhythm BYTEA;
ALTER TABLE schedule ADD COLUMN outcomes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN gone_since BIGINT;
ALTER TABLE schedule ADD COLUMN move_to TEXT;
ALTER TABLE schedule ADD COLUMN move_answers BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN move_since BIGINT;
ALTER TABLE schedule ADD COLUMN quota_day BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN quota_used BIGINT NOT NULL DEFAULT 0;

-- A JSON object of texts, by key.
ALTER TABLE feeds ADD COLUMN rules TEXT;

-- What each rule said, one per line.
ALTER TABLE visits ADD COLUMN trace TEXT;
