//! What the users of the benchmark have read, from nothing to everything, written while nobody serves.

use std::path::Path;

use rusqlite::{Connection, params};

/// How much is unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    Nothing,
    /// 0.1 %: half of them the newest, half of them kept unread here and there over all the time.
    Few,
    /// 40 %: a watermark in the middle, and every fifth post after it was read by itself.
    Some,
    Everything,
}

impl Unread {
    pub(super) const ALL: [Self; 4] = [Self::Nothing, Self::Few, Self::Some, Self::Everything];

    pub(super) fn share(self) -> &'static str {
        match self {
            Self::Nothing => "0 %",
            Self::Few => "0.1 %",
            Self::Some => "40 %",
            Self::Everything => "100 %",
        }
    }
}

/// Sets the state of all users.
pub(super) fn set(database: &Path, unread: Unread) {
    let connection = Connection::open(database).expect("the database is there");
    connection
        .execute_batch("PRAGMA cache_size = -1000000; BEGIN; DELETE FROM marks; DELETE FROM sweeps;")
        .expect("nobody serves");
    let last: i64 = connection.query_row("SELECT entries FROM arrival", [], |row| row.get(0)).expect("one row");
    let (watermark, marks) = match unread {
        Unread::Nothing => (last, None),
        Unread::Few => (last - last / 2_000, Some((false, "e.id % 2000 = 7 AND e.id <= s.watermark"))),
        Unread::Some => (last / 2, Some((true, "e.id % 5 = 3 AND e.id > s.watermark"))),
        Unread::Everything => (0, None),
    };
    connection.execute("UPDATE subscriptions SET watermark = ?1, swept_at = NULL", [watermark]).expect("a table");
    if let Some((read, which)) = marks {
        let sql = format!(
            "INSERT INTO marks (user_id, feed_id, entry_id, read, muted, quiet, at)
             SELECT s.user_id, s.feed_id, e.id, ?1, 0, e.quiet, e.first_seen_at
             FROM subscriptions s CROSS JOIN entries e INDEXED BY entries_feed ON e.feed_id = s.feed_id WHERE {which}
             ORDER BY s.user_id, s.feed_id, e.id"
        );
        connection.execute(&sql, params![read]).expect("a table");
    }
    connection
        .execute_batch(
            "UPDATE subscriptions AS s SET
                 seen_arrivals = (SELECT c.arrivals FROM schedule c WHERE c.feed_id = s.feed_id),
                 unread = (SELECT count(*) FROM entries e WHERE e.feed_id = s.feed_id AND e.id > s.watermark)
                     - (SELECT count(*) FROM marks m
                        WHERE m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.entry_id > s.watermark)
                     + (SELECT count(*) FROM marks m
                        WHERE m.user_id = s.user_id AND m.feed_id = s.feed_id AND NOT m.read);
             COMMIT; PRAGMA wal_checkpoint(TRUNCATE);",
        )
        .expect("a table");
}
