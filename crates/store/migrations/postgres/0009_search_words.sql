-- In how many of the entries that are counted a word is: which words a beginning may stand for.
CREATE TABLE search_words (
    word    TEXT COLLATE "C" PRIMARY KEY,
    entries BIGINT NOT NULL
);

-- Whoever indexes says when what waits is merged into the index: after many entries at once, instead of every few.
ALTER INDEX entry_search_tsv SET (gin_pending_list_limit = 65536);

-- Everything is indexed anew.
TRUNCATE entry_search;
UPDATE search_state SET token = token + 1, upto = 0, seen_at = NULL;
