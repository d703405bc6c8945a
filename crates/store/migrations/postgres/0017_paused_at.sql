-- The moment from which a pause was reckoned: a clock that was ahead then is told by it.
ALTER TABLE rate_groups ADD COLUMN paused_at BIGINT NOT NULL DEFAULT 0;
