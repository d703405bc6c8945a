-- The interval that an operator chose for a feed where preset `governance` rules, in minutes. It is what the rule
-- `interval.initial` in `rules` says; here the database itself holds it within its range. Null where no such range applies.
ALTER TABLE feeds ADD COLUMN refresh_minutes BIGINT CHECK (refresh_minutes BETWEEN 15 AND 1440);
