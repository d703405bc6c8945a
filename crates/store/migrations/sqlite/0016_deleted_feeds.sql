-- When a deleted feed is removed with everything it said. Until then adding it again brings it back.
ALTER TABLE feeds ADD COLUMN purge_at INTEGER;
-- 30 days after the deletion.
UPDATE feeds SET purge_at = state_since + 2592000000000 WHERE state = 'deleted';
UPDATE schedule SET due_at = NULL WHERE feed_id IN (SELECT id FROM feeds WHERE state = 'deleted');
-- Every read of entries leaves out those of deleted feeds.
CREATE INDEX feeds_deleted ON feeds (id) WHERE state = 'deleted';
