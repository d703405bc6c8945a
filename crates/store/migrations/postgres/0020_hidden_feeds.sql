-- Lists of entries leave out those of deleted feeds and of other users' private ones: few feeds, found without the table.
CREATE INDEX feeds_hidden ON feeds (id) INCLUDE (state, owner_id) WHERE state = 'deleted' OR owner_id IS NOT NULL;
