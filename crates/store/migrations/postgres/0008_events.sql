-- Events are forgotten by their age. Ids are no substitute: one process whose clock was wrong for an hour would keep all
-- that came after its events, or take what came before them along.
CREATE INDEX outbox_at ON outbox (at);
