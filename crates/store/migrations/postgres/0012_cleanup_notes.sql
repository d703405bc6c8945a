-- How long a cleanup took, and what an operator should know of it.
ALTER TABLE cleanup_log ADD COLUMN took_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cleanup_log ADD COLUMN notes TEXT;
