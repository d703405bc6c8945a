-- Drops the ranges from `low` up to `high`; what still has an entry moves to one small range in their place. NULL if
-- somebody is in the way, or if more than `most` would have to move.
-- Which entries are left is asked, and their bodies are copied, before anybody has to wait: in these ranges entries only
-- go, never come, and a body that was copied is held until the end. The check is what attaching would have to find out.
CREATE OR REPLACE FUNCTION gather_body_ranges(low BIGINT, high BIGINT, most BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    stay BIGINT[] := ARRAY(SELECT id FROM entries WHERE id >= low AND id < high ORDER BY id LIMIT most + 1);
    kept TEXT := 'entry_bodies_kept_' || low;
    part REGCLASS;
BEGIN
    IF cardinality(stay) > most THEN
        RETURN NULL;
    END IF;
    CREATE TABLE entry_bodies_kept (LIKE entry_bodies INCLUDING ALL);
    EXECUTE format('ALTER TABLE entry_bodies_kept ADD CONSTRAINT gathered CHECK (entry_id >= %s AND entry_id < %s)', low, high);
    INSERT INTO entry_bodies_kept SELECT * FROM entry_bodies WHERE entry_id = ANY (stay) FOR SHARE;
    LOCK TABLE ONLY entry_bodies IN ACCESS EXCLUSIVE MODE;
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
        EXECUTE format('ALTER TABLE %I DROP CONSTRAINT gathered', kept);
    ELSE
        DROP TABLE entry_bodies_kept;
    END IF;
    RETURN cardinality(stay);
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END $$;
