//! Statistics for the planner, made anew when the database has grown.
//!
//! `PRAGMA optimize` looks at a database of ten entries as gladly as at one of a million, and what it notes of ten is
//! believed until it is looked at again: walking all entries seemed cheaper than an index. So a small database has no
//! statistics, for which the planner's own assumptions are better, and a grown one is looked at whenever it has four times
//! the rows. A look is bounded: a thousand rows of each index.

use super::run::roll_back;
use rusqlite::Connection;

/// Below this many rows nothing is noted.
const SMALL: i64 = 1_000;
/// Statistics are made anew when there are this many times the rows.
const GROWTH: i64 = 4;

/// How many feeds and entries there have been: ids are dense, and the greatest is found at once.
const ROWS: &str = "SELECT coalesce((SELECT max(id) FROM feeds), 0), coalesce((SELECT entries FROM arrival), 0)";
const ANALYSED: &str = "SELECT value FROM settings WHERE key = 'store.analysed'";
const NOTE: &str = "INSERT INTO settings (key, value, updated_at) VALUES ('store.analysed', ?1, 0)
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value";

/// Looks at the tables if they have grown since the last look; says whether it did.
pub(super) fn analyse_if_grown(connection: &Connection) -> rusqlite::Result<bool> {
    let rows: (i64, i64) = connection.query_row(ROWS, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let noted: Option<String> = connection.query_row(ANALYSED, [], |row| row.get(0)).ok();
    let (feeds, entries) = noted.as_deref().and_then(read).unwrap_or_default();
    if rows.0 < SMALL.max(GROWTH * feeds) && rows.1 < SMALL.max(GROWTH * entries) {
        return Ok(false);
    }
    // Every connection reads the statistics with the schema, and reads that again when somebody has changed it: without
    // the view those that are open would go on with the old ones.
    let analysed = connection
        .execute_batch(
            "PRAGMA analysis_limit = 1000; BEGIN IMMEDIATE; ANALYZE; CREATE VIEW statistics_changed AS SELECT 1;
             DROP VIEW statistics_changed;",
        )
        .and_then(|()| connection.execute(NOTE, [format!("{} {}", rows.0, rows.1)]))
        .and_then(|_| connection.execute_batch("COMMIT"));
    if analysed.is_err() {
        roll_back(connection);
    }
    analysed.map(|()| true)
}

fn read(noted: &str) -> Option<(i64, i64)> {
    let (feeds, entries) = noted.split_once(' ')?;
    Some((feeds.parse().ok()?, entries.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::Dialect;
    use crate::db::sqlite::open::{configure, connect, migrate};
    use jiff::Timestamp;

    /// These feeds, with four entries each.
    fn fill(connection: &Connection, feeds: std::ops::RangeInclusive<i64>) {
        let (first, last) = (feeds.start(), feeds.end());
        let numbers = |from: i64, to: i64| {
            format!("WITH RECURSIVE n(x) AS (VALUES({from}) UNION ALL SELECT x + 1 FROM n WHERE x < {to})")
        };
        let (feeds, entries) = (numbers(*first, *last), numbers(4 * first - 3, 4 * last));
        let sql = format!(
            "BEGIN;
             {feeds} INSERT INTO feeds (id, uuid, url, kind, domain_rule, polling, state, state_since, created_at, updated_at)
                 SELECT x, randomblob(16), 'https://' || x, 'rss', 'any', 1, 'active', 0, 0, 0 FROM n;
             {entries} INSERT INTO entries (id, feed_id, uid, first_seen_at, sort_at, content_hash, raw_hash, quiet,
                                            since_reading)
                 SELECT x, (x + 3) / 4, x || '', 0, x, x'00', x'00', 0, 1 FROM n;
             UPDATE arrival SET entries = 4 * {last};
             COMMIT"
        );
        connection.execute_batch(&sql).unwrap();
    }

    /// How the entries of one feed are found, as a connection that is open plans it.
    fn plan(connection: &Connection) -> String {
        // Only what is run notices that the schema has changed.
        connection.query_row("SELECT max(id) FROM feeds", [], |_| Ok(())).unwrap();
        let sql = crate::retention::KEPT.text(Dialect::Sqlite);
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = statement.query_map([1, 1, 1], |row| row.get::<_, String>(3)).unwrap();
        steps.collect::<rusqlite::Result<Vec<_>>>().unwrap().join("; ")
    }

    /// `retain --dry-run` walked all entries for each feed: statistics of ten entries were believed after an import.
    #[test]
    fn statistics_of_a_small_database_are_not_believed_when_it_has_grown() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("courant.db");
        let mut writer = connect(&path, "test").unwrap();
        configure(&writer, super::super::open::Synchronous::Normal).unwrap();
        migrate(&mut writer, "test", Timestamp::UNIX_EPOCH).unwrap();
        fill(&writer, 1..=3);
        assert!(!analyse_if_grown(&writer).unwrap(), "a small one is left alone");
        // What an older version has left.
        writer.execute_batch("ANALYZE").unwrap();
        let reader = connect(&path, "test").unwrap();
        let by_feed = "entries_feed (feed_id=?";
        assert!(!plan(&reader).contains(by_feed), "{}: then there is nothing to show", plan(&reader));
        fill(&writer, 4..=2_000);
        assert!(analyse_if_grown(&writer).unwrap());
        assert!(plan(&reader).contains(by_feed), "{}", plan(&reader));
        assert!(!analyse_if_grown(&writer).unwrap(), "once");
        fill(&writer, 2_001..=7_000);
        assert!(!analyse_if_grown(&writer).unwrap(), "not at every growth");
        fill(&writer, 7_001..=8_000);
        assert!(analyse_if_grown(&writer).unwrap(), "four times as much");
    }
}
