//! The SQL that a good engineer writes by hand for a page of posts, on our tables and with our counters, without a server:
//! no accounts, no private or deleted feeds, no dates, no cursor.
//!
//! There are three ways to write it, and which one is good depends on how much is unread and in how many feeds. Whoever
//! writes for one case takes the best for it, so that is what we are compared with.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};

use super::times::Times;

/// Which page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Unread,
    All,
}

impl List {
    /// The same page of the API.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Unread => "/api/posts?unread_only=true",
            Self::All => "/api/posts",
        }
    }

    fn condition(self) -> &'static str {
        match self {
            Self::Unread => "CASE WHEN m.entry_id IS NULL THEN e.id > s.watermark AND NOT e.quiet ELSE NOT m.read END",
            Self::All => "NOT coalesce(m.muted, FALSE)",
        }
    }
}

/// A statement for one page of one user.
pub(super) struct ByHand {
    connection: Connection,
    user: i64,
    way: &'static str,
    page: String,
    total: &'static str,
}

const COLUMNS: &str =
    "e.id, e.feed_id, e.title, e.link, e.author, e.excerpt, e.published_at, e.first_seen_at, e.sort_at,
    m.read, m.at, e.id > s.watermark,
    EXISTS (SELECT 1 FROM bookmarks b WHERE b.user_id = ?1 AND b.entry_id = e.id),
    EXISTS (SELECT 1 FROM likes l WHERE l.user_id = ?1 AND l.entry_id = e.id)";
const MARKS: &str = "LEFT JOIN marks m ON m.user_id = ?1 AND m.feed_id = e.feed_id AND m.entry_id = e.id";
const MINE: &str = "s.user_id = ?1 AND s.hidden_at IS NULL AND s.in_all";
const NEWEST: &str = "ORDER BY e.sort_at DESC, e.id DESC LIMIT 50";
const TOTAL_UNREAD: &str = "SELECT sum(s.unread + c.arrivals - s.seen_arrivals)
    FROM subscriptions s JOIN schedule c ON c.feed_id = s.feed_id
    WHERE s.user_id = ?1 AND s.hidden_at IS NULL AND s.in_all";
const TOTAL: &str = "SELECT sum(c.entries) - (SELECT count(*) FROM marks m WHERE m.user_id = ?1 AND m.muted)
    FROM subscriptions s JOIN schedule c ON c.feed_id = s.feed_id
    WHERE s.user_id = ?1 AND s.hidden_at IS NULL AND s.in_all";
/// More feeds than this are not read one by one.
const FEW: usize = 50;

impl ByHand {
    /// The fastest statement for this page.
    pub(super) fn best(database: &Path, user: &str, list: List) -> Self {
        let open = || {
            let connection =
                Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database");
            connection.execute_batch("PRAGMA cache_size = -4096").expect("a setting");
            connection
        };
        let id: i64 =
            open().query_row("SELECT id FROM users WHERE name = ?1", [user], |row| row.get(0)).expect("a user");
        let total = if list == List::Unread { TOTAL_UNREAD } else { TOTAL };
        let with = |(way, page)| Self { connection: open(), user: id, way, page, total };
        let ways = [Some(("walk", walk(list))), gather(list).map(|sql| ("gather", sql)), merge(&open(), id, list)];
        let mut ways: Vec<(f64, Self)> = ways
            .into_iter()
            .flatten()
            .map(|way| {
                let hand = with(way);
                // A slow way is seen at once.
                let once = {
                    let mut times = Times::default();
                    times.time(|| hand.page());
                    times.middle()
                };
                let runs = if once > 100.0 { 1 } else { 20 };
                let mut times = Times::default();
                (0..runs).for_each(|_| {
                    times.time(|| hand.page());
                });
                (times.middle(), hand)
            })
            .collect();
        ways.sort_by(|a, b| a.0.total_cmp(&b.0));
        ways.swap_remove(0).1
    }

    pub(super) fn way(&self) -> &'static str {
        self.way
    }

    /// The page and how many posts there are in all.
    pub(super) fn page(&self) -> (usize, i64) {
        let mut statement = self.connection.prepare_cached(self.total).expect("a statement");
        let total = statement.query_row([self.user], |row| row.get::<_, Option<i64>>(0)).expect("a number");
        (self.page_without_total(), total.unwrap_or(0))
    }

    /// The page alone: how many rows it has.
    pub(super) fn page_without_total(&self) -> usize {
        let mut statement = self.connection.prepare_cached(&self.page).expect("a statement");
        let rows = statement.query_map([self.user], read).expect("rows");
        rows.inspect(|row| assert!(row.is_ok(), "a row")).count()
    }
}

/// By date over all entries, until there are enough.
fn walk(list: List) -> String {
    format!(
        "SELECT {COLUMNS} FROM entries e CROSS JOIN subscriptions s ON s.feed_id = e.feed_id {MARKS}
         WHERE {MINE} AND {} {NEWEST}",
        list.condition()
    )
}

/// What is unread, and the newest of it.
fn gather(list: List) -> Option<String> {
    (list == List::Unread).then(|| {
        format!(
            "SELECT {COLUMNS} FROM (
                 SELECT e.id FROM subscriptions s JOIN schedule c ON c.feed_id = s.feed_id
                 JOIN entries e ON e.feed_id = s.feed_id AND e.id > s.watermark AND NOT e.quiet {MARKS}
                 WHERE {MINE} AND s.unread + c.arrivals > s.seen_arrivals AND m.entry_id IS NULL
                 UNION ALL SELECT m.entry_id FROM marks m WHERE m.user_id = ?1 AND NOT m.read) u
             JOIN entries e ON e.id = u.id JOIN subscriptions s ON s.feed_id = e.feed_id AND {MINE} {MARKS} {NEWEST}"
        )
    })
}

/// The newest of each feed, merged: for few feeds.
fn merge(connection: &Connection, user: i64, list: List) -> Option<(&'static str, String)> {
    let mut statement =
        connection.prepare("SELECT feed_id FROM subscriptions WHERE user_id = ?1").expect("a statement");
    let feeds: Vec<i64> = statement.query_map([user], |row| row.get(0)).expect("rows").flatten().collect();
    let of = |feed: &i64| {
        format!(
            "SELECT * FROM (SELECT e.id, e.sort_at FROM entries e CROSS JOIN subscriptions s ON s.feed_id = e.feed_id {MARKS}
             WHERE e.feed_id = {feed} AND {MINE} AND {} {NEWEST})",
            list.condition()
        )
    };
    let each: Vec<String> = feeds.iter().map(of).collect();
    let sql = format!(
        "SELECT {COLUMNS} FROM (SELECT id FROM ({}) ORDER BY sort_at DESC, id DESC LIMIT 50) u
         JOIN entries e ON e.id = u.id JOIN subscriptions s ON s.feed_id = e.feed_id AND {MINE} {MARKS} {NEWEST}",
        each.join(" UNION ALL ")
    );
    (feeds.len() <= FEW).then_some(("merge", sql))
}

type Texts = [Option<String>; 4];

/// Takes every column out, as whoever shows them has to.
fn read(row: &Row<'_>) -> rusqlite::Result<(Texts, [Option<i64>; 10])> {
    let texts = [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?];
    let mut numbers = [None; 10];
    for (number, column) in numbers.iter_mut().zip([0, 1, 6, 7, 8, 9, 10, 11, 12, 13]) {
        *number = row.get(column)?;
    }
    Ok((texts, numbers))
}
