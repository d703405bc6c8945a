-- Bodies lie in ranges of a million entry ids. Ranges are made ahead of the entries that will fill them, and go whole
-- once hardly any of their entries are left. `entry_bodies_rest` takes what no range was made for, so that a body can
-- always be written; it is empty unless maintenance was away for long.
-- All three functions wait for locks no longer than `lock_timeout` says, and then answer that somebody is in the way.

-- How many ranges went.
ALTER TABLE cleanup_log ADD COLUMN ranges BIGINT NOT NULL DEFAULT 0;

-- Makes the range from `low` up to `high`, unless it is there. Others read and write meanwhile.
CREATE FUNCTION make_body_range(low BIGINT, high BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    part TEXT := 'entry_bodies_' || low;
BEGIN
    LOCK TABLE ONLY entry_bodies IN SHARE UPDATE EXCLUSIVE MODE;
    IF to_regclass(part) IS NOT NULL THEN
        RETURN TRUE;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE entry_bodies INCLUDING ALL)', part);
    EXECUTE format('ALTER TABLE entry_bodies ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', part, low, high);
    RETURN TRUE;
EXCEPTION WHEN lock_not_available THEN
    RETURN FALSE;
END $$;

-- Makes the range from `low` up to `high` of what lies in the rest: no row is moved, but all are looked at while others
-- wait. Not if more has arrived than was known when `high` was chosen.
CREATE FUNCTION adopt_body_range(low BIGINT, high BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    part TEXT := 'entry_bodies_' || low;
BEGIN
    LOCK TABLE ONLY entry_bodies IN ACCESS EXCLUSIVE MODE;
    IF EXISTS (SELECT 1 FROM entry_bodies_rest WHERE entry_id >= high) THEN
        RETURN FALSE;
    END IF;
    ALTER TABLE entry_bodies DETACH PARTITION entry_bodies_rest;
    EXECUTE format('ALTER TABLE entry_bodies_rest RENAME TO %I', part);
    EXECUTE format('ALTER TABLE entry_bodies ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', part, low, high);
    CREATE TABLE entry_bodies_rest PARTITION OF entry_bodies DEFAULT;
    RETURN TRUE;
EXCEPTION WHEN lock_not_available THEN
    RETURN FALSE;
END $$;

-- Drops the ranges from `low` up to `high`; what still has an entry moves to one small range in their place. NULL if
-- somebody is in the way, or if more than `most` would have to move.
-- Which entries are left is asked before anybody has to wait: in these ranges entries only go, never come.
CREATE FUNCTION gather_body_ranges(low BIGINT, high BIGINT, most BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    stay BIGINT[] := ARRAY(SELECT id FROM entries WHERE id >= low AND id < high ORDER BY id LIMIT most + 1);
    kept TEXT := 'entry_bodies_kept_' || low;
    part REGCLASS;
BEGIN
    IF cardinality(stay) > most THEN
        RETURN NULL;
    END IF;
    LOCK TABLE ONLY entry_bodies IN ACCESS EXCLUSIVE MODE;
    CREATE TABLE entry_bodies_kept (LIKE entry_bodies INCLUDING ALL);
    INSERT INTO entry_bodies_kept SELECT * FROM entry_bodies WHERE entry_id = ANY (stay);
    FOR part IN
        SELECT i.inhrelid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
            regexp_match(pg_get_expr(c.relpartbound, c.oid), '\(''(\d+)''\) TO \(''(\d+)''\)') AS bound
        WHERE i.inhparent = 'entry_bodies'::regclass AND bound[1]::bigint >= low AND bound[2]::bigint <= high
    LOOP
        EXECUTE format('ALTER TABLE entry_bodies DETACH PARTITION %s', part);
        EXECUTE format('DROP TABLE %s', part);
    END LOOP;
    IF cardinality(stay) > 0 THEN
        EXECUTE format('ALTER TABLE entry_bodies_kept RENAME TO %I', kept);
        EXECUTE format('ALTER TABLE entry_bodies ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', kept, low, high);
    ELSE
        DROP TABLE entry_bodies_kept;
    END IF;
    RETURN cardinality(stay);
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END $$;

-- Until now there was one range, and all beyond it lay in the rest.
DO $$
DECLARE
    width CONSTANT BIGINT := 1000000;
    arrived BIGINT := greatest((SELECT entries FROM arrival), (SELECT max(entry_id) FROM entry_bodies_rest));
    low BIGINT := width;
BEGIN
    IF EXISTS (SELECT 1 FROM entry_bodies_rest) THEN
        low := (arrived / width + 2) * width;
        IF NOT adopt_body_range(width, low) THEN
            RAISE EXCEPTION 'somebody keeps entry_bodies locked';
        END IF;
    END IF;
    WHILE low <= arrived + 2 * width LOOP
        PERFORM make_body_range(low, low + width);
        low := low + width;
    END LOOP;
END $$;
