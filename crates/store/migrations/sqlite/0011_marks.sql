-- Who has booked a rate group last: whoever decides on what was read of it writes only if this is still the same.
ALTER TABLE rate_groups ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
