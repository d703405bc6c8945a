-- How many ranges of bodies went. Only PostgreSQL divides its bodies: a file's free pages are used again wherever they are.
ALTER TABLE cleanup_log ADD COLUMN ranges INTEGER NOT NULL DEFAULT 0;
