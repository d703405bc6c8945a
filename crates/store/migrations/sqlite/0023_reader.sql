-- What users keep and arrange: bookmarks, likes, tags, saved searches, filters, imports; and the full text of articles.

-- Who brought a feed: `operator`, or `reader`, whose feed is deleted when the last subscriber leaves.
ALTER TABLE feeds ADD COLUMN origin TEXT NOT NULL DEFAULT 'operator';
-- When the page of an entry was asked for its full text, and what stood in the way.
ALTER TABLE entries ADD COLUMN full_text_tried_at INTEGER;
ALTER TABLE entry_bodies ADD COLUMN full_text_error TEXT;
-- SHA-256 of the picture: its name for clients.
ALTER TABLE icons ADD COLUMN hash BLOB;
CREATE INDEX icons_hash ON icons (hash) WHERE hash IS NOT NULL;
-- The site whose icon the feed has (`icons.site`), once it was asked for.
ALTER TABLE feeds ADD COLUMN icon_site TEXT;
CREATE INDEX feeds_icon ON feeds (icon_site) WHERE icon_site IS NOT NULL;
-- Entries up to this one went through the user's filters.
ALTER TABLE users ADD COLUMN filtered_upto INTEGER;

-- A snapshot, which outlives its entry. `key` is the link, a hash of it where it is very long, or `entry:ID` where there is
-- none.
CREATE TABLE bookmarks (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key          TEXT NOT NULL,
    entry_id     INTEGER,
    feed_id      INTEGER,
    link         TEXT,
    title        TEXT NOT NULL,
    content      TEXT NOT NULL,
    author       TEXT,
    feed_name    TEXT NOT NULL,
    published_at INTEGER,
    note         TEXT,
    created_at   INTEGER NOT NULL,
    UNIQUE (user_id, key)
) STRICT;
CREATE INDEX bookmarks_user ON bookmarks (user_id, created_at, id);
CREATE INDEX bookmarks_entry ON bookmarks (entry_id) WHERE entry_id IS NOT NULL;
CREATE INDEX bookmarks_feed ON bookmarks (user_id, feed_id);

CREATE TABLE likes (
    user_id  INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    entry_id INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (user_id, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX likes_entry ON likes (entry_id);

CREATE TABLE tags (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    -- In small letters: unique per user. SQLite knows those of ASCII only, so that it is not an expression.
    folded     TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tags_name ON tags (user_id, folded);
CREATE TABLE entry_tags (
    tag_id   INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    entry_id INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (tag_id, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_tags_entry ON entry_tags (entry_id);
CREATE TABLE bookmark_tags (
    tag_id      INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    bookmark_id INTEGER NOT NULL REFERENCES bookmarks (id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, bookmark_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX bookmark_tags_bookmark ON bookmark_tags (bookmark_id);

CREATE TABLE saved_searches (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    -- In small letters: unique per user.
    folded     TEXT NOT NULL,
    query      TEXT NOT NULL,
    position   INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX saved_searches_name ON saved_searches (user_id, folded);

-- `category_id` and `feed_id` are the scope; both NULL: all feeds of the user.
CREATE TABLE filters (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    category_id INTEGER REFERENCES categories (id) ON DELETE CASCADE,
    feed_id     INTEGER REFERENCES feeds (id) ON DELETE CASCADE,
    condition   TEXT NOT NULL,
    actions     TEXT NOT NULL,
    enabled     INTEGER NOT NULL,
    position    INTEGER NOT NULL DEFAULT 0,
    hits        INTEGER NOT NULL DEFAULT 0,
    last_hit_at INTEGER,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX filters_user ON filters (user_id);
CREATE INDEX filters_category ON filters (category_id);
CREATE INDEX filters_feed ON filters (feed_id);

-- One import of a list of feeds: how far it has come, and what it brought, so that it can be undone.
CREATE TABLE imports (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- The list; NULL when it is done.
    document    TEXT,
    total       INTEGER NOT NULL,
    done        INTEGER NOT NULL DEFAULT 0,
    imported    INTEGER NOT NULL DEFAULT 0,
    skipped     INTEGER NOT NULL DEFAULT 0,
    -- A JSON array of texts.
    errors      TEXT,
    -- JSON arrays of ids.
    feeds       TEXT,
    categories  TEXT,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    undone_at   INTEGER
) STRICT;
CREATE INDEX imports_user ON imports (user_id);
