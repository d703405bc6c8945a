-- Every service writes events: what one is about may be a feed, an entry with its feed, a user, a site, or nothing. What it
-- says besides is JSON in the shape of its kind, with the version of that shape.
-- `detail` stays for processes of an earlier version that still run; nothing writes it any more.
ALTER TABLE outbox ALTER COLUMN feed_id DROP NOT NULL;
ALTER TABLE outbox ADD COLUMN user_id BIGINT;
ALTER TABLE outbox ADD COLUMN site TEXT;
ALTER TABLE outbox ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE outbox ADD COLUMN payload JSONB;
UPDATE outbox SET detail = NULL, payload = jsonb_build_object(
    CASE WHEN kind IN ('feed.added', 'feed.moved') THEN 'url' WHEN kind = 'entry.gone' THEN 'reason' ELSE 'message' END,
    detail)
WHERE detail IS NOT NULL;
