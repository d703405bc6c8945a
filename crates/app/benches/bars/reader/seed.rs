//! A database with many posts, the same rows for the same size everywhere, made once below the build directory.
//!
//! The migrations and the store make its tables, feeds and users. Posts are written past the store, without their indexes,
//! which are made at the end: a million commits would take an hour. So counters are set here, and what `courant doctor`
//! and a recount say about them is checked. The search index is built by the program's own indexer, where it is asked for.
//!
//! Feeds differ in size (the largest has one post in fifty of 2,000 feeds), and posts arrive in the order of their ids,
//! with dates up to three days earlier.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use jiff::Timestamp;
use model::feed::DomainRule;
use model::reader::Role;
use model::{FeedId, UserId};
use rusqlite::{Connection, params};
use store::{Address, NewFeed, Options, Store};
use uuid::Uuid;

use crate::ours::Ours;

/// The user of all feeds, the one of a few, and their password.
pub(super) const OWNER: &str = "owner";
pub(super) const FEW: &str = "few";
pub(super) const PASSWORD: &str = "a password of this benchmark";
pub(super) const FEW_FEEDS: usize = 5;
/// Changed whenever the rows are, so that old databases are made anew.
const EDITION: u32 = 2;
const GO_ON: &str = "COMMIT; PRAGMA wal_checkpoint(TRUNCATE); BEGIN;";
/// 2023-11-01 to 2026-11-01.
const FIRST: i64 = 1_698_796_800_000_000;
const LAST: i64 = 1_793_491_200_000_000;
const THREE_DAYS: u64 = 3 * 24 * 3_600_000_000;
/// Posts in one transaction: the log of a larger one would take as much room as the database.
const AT_ONCE: u64 = 500_000;
const CATEGORIES: i64 = 20;
const VOCABULARY: u64 = 50_000;
/// Beyond this many posts no search index is built: it would take longer than everything else.
const SEARCHED: usize = 2_000_000;

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) feeds: usize,
    pub(super) posts: usize,
}

/// Makes the database unless it is there; returns its directory.
pub(super) fn write(within: &Path, size: Size) -> PathBuf {
    let directory = within.join(format!("reader-{}-{}", size.feeds, size.posts));
    let (stamp, made) = (format!("edition {EDITION}, {size:?}\n"), directory.join("made.txt"));
    if fs::read_to_string(&made).is_ok_and(|said| said == stamp) {
        return directory;
    }
    let begun = std::time::Instant::now();
    let ours = Ours::in_directory(directory.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(begin(&ours.database_file(), size));
    for user in [OWNER, FEW] {
        let mut set = ours.command(&["user", "password", user, "--password-file", "-"]);
        let mut set = set.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("courant starts");
        set.stdin.take().expect("a pipe").write_all(PASSWORD.as_bytes()).expect("it reads");
        assert!(set.wait().expect("it ends").success(), "{user} got no password");
    }
    fill(&ours.database_file(), size);
    eprintln!("{size:?}: rows written after {:.0} s", begun.elapsed().as_secs_f64());
    runtime.block_on(finish(&ours.database_file(), size));
    let sound = ours.command(&["doctor", "--deep"]).stdout(Stdio::null()).status().expect("courant starts");
    assert!(sound.success(), "the doctor finds something wrong");
    eprintln!("{size:?}: {:.0} MB after {:.0} s", ours.database_megabytes(), begun.elapsed().as_secs_f64());
    fs::write(made, stamp).expect("a file can be written");
    directory
}

/// Scatters a number (splitmix64).
fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A number from 0 up to 1.
fn share(number: u64) -> f64 {
    (scattered(number) >> 11) as f64 / (1_u64 << 53) as f64
}

fn hash(number: u64) -> [u8; 16] {
    Uuid::from_u64_pair(scattered(number), scattered(!number)).into_bytes()
}

/// The n-th most common word.
pub(super) fn word(n: u64) -> String {
    const SYLLABLES: [&str; 16] =
        ["ka", "to", "mi", "re", "su", "no", "li", "va", "pe", "du", "go", "sha", "ber", "ton", "fi", "lem"];
    let (mut word, mut rest) = (String::new(), n + 16);
    while rest > 0 {
        word.push_str(SYLLABLES[(rest % 16) as usize]);
        rest /= 16;
    }
    word
}

/// Prose: the n-th word is n times rarer than the first.
struct Prose(Vec<String>);

impl Prose {
    fn words(&self, seed: u64, count: u64) -> String {
        let rank = |i| (VOCABULARY as f64).powf(share(seed ^ (i + 1) << 40)) as usize - 1;
        let words: Vec<&str> = (0..count).map(|i| self.0[rank(i)].as_str()).collect();
        words.join(" ")
    }
}

async fn open(database: &Path) -> Store {
    let address = Address::parse(&format!("sqlite:{}", database.display())).expect("an address");
    Store::open(&address, &Options::at(at(LAST))).await.expect("the database can be opened")
}

fn at(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).expect("a year within reach")
}

/// Feeds and users, by the store.
async fn begin(database: &Path, size: Size) {
    let store = open(database).await;
    let feed = |n: u64| {
        let host = format!("site-{n}.example");
        NewFeed {
            title: Some(format!("What number {n} has to say")),
            site_url: Some(format!("https://{host}/")),
            root_domain: Some(host.clone()),
            domain_rule: DomainRule::Registrable,
            ..NewFeed::public(Uuid::from_u64_pair(scattered(n), n), format!("https://{host}/feed.xml"), host, at(LAST))
        }
    };
    store.add_feeds((0..size.feeds as u64).map(feed).collect(), at(FIRST)).await.expect("feeds can be added");
    store.add_user(FEW, Role::User, at(FIRST)).await.expect("a user can be added");
    store.close(at(LAST)).await.expect("the store can be closed");
}

/// Posts, counters and subscriptions, past the store.
fn fill(database: &Path, size: Size) {
    let connection = Connection::open(database).expect("the database is there");
    connection
        .execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; PRAGMA temp_store = FILE; BEGIN;")
        .expect("nobody else is there");
    let mut indexes = connection
        .prepare(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'entries' AND sql IS NOT NULL",
        )
        .expect("a statement");
    let indexes: Vec<(String, String)> =
        indexes.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows").flatten().collect();
    for (name, _) in &indexes {
        connection.execute_batch(&format!("DROP INDEX {name}")).expect("an index");
    }
    posts(&connection, size).expect("posts can be written");
    for (_, sql) in &indexes {
        connection.execute_batch(sql).expect("an index");
        connection.execute_batch(GO_ON).expect("a transaction");
    }
    connection
        .execute_batch(&format!(
            "UPDATE arrival SET entries = {posts};
             UPDATE schedule SET visits = 100, readings = 50, etag = '\"' || hex(feed_id * 7919) || '\"',
                 last_modified = 'Sun, 01 Nov 2026 00:00:00 GMT', cache_control = 'max-age=600',
                 last_visit_at = {LAST}, last_success_at = {LAST}, last_status = 200, interval_us = 3600000000,
                 reason = 'as usual: half of what lies between two entries',
                 entries = (SELECT count(*) FROM entries e WHERE e.feed_id = schedule.feed_id);
             UPDATE schedule SET arrivals = entries;
             INSERT INTO categories (user_id, parent_id, name, position, created_at)
                 SELECT 1, NULL, 'Category ' || value, value, {FIRST} FROM (
                     WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < {CATEGORIES})
                     SELECT value FROM n);
             INSERT INTO subscriptions (user_id, feed_id, category_id, created_at)
                 SELECT 1, f.id, (SELECT c.id FROM categories c WHERE c.name = 'Category ' || (1 + f.id % {CATEGORIES})),
                        {FIRST} FROM feeds f ORDER BY f.id;
             INSERT INTO subscriptions (user_id, feed_id, category_id, created_at)
                 SELECT u.id, f.id, c.id, {FIRST} FROM users u JOIN categories c ON c.user_id = u.id JOIN feeds f
                 WHERE u.name = '{FEW}' AND f.id IN (1, 2 + {feeds} / 20, 3 + {feeds} / 4, 4 + {feeds} / 2, {feeds})
                 ORDER BY f.id;
             UPDATE subscriptions SET
                 unread = (SELECT c.arrivals FROM schedule c WHERE c.feed_id = subscriptions.feed_id),
                 seen_arrivals = (SELECT c.arrivals FROM schedule c WHERE c.feed_id = subscriptions.feed_id);
             COMMIT; PRAGMA wal_checkpoint(TRUNCATE);",
            posts = size.posts,
            feeds = size.feeds,
        ))
        .expect("counters and subscriptions");
}

fn posts(connection: &Connection, size: Size) -> rusqlite::Result<()> {
    let prose = Prose((0..VOCABULARY).map(word).collect());
    let mut entries = connection.prepare(
        "INSERT INTO entries (id, feed_id, uid, title, excerpt, link, author, published_at, first_seen_at, sort_at,
                              content_hash, raw_hash, quiet, since_reading)
         VALUES (?1, ?2, ?3, ?4, ?5, ?3, ?6, ?7, ?8, ?7, ?9, ?10, 0, 1)",
    )?;
    let mut bodies = connection.prepare(
        "INSERT INTO entry_bodies (entry_id, content, authors, categories, language)
         VALUES (?1, ?2, '[{\"name\":\"Ada Lovelace\"}]', '[\"engines\",\"notes\"]', 'en')",
    )?;
    let mut keys =
        connection.prepare("INSERT INTO entry_keys (feed_id, kind, hash, entry_id) VALUES (?1, ?2, ?3, ?4)")?;
    let between = (LAST - FIRST) / size.posts as i64;
    for n in 1..=size.posts as u64 {
        let feed = 1 + (size.feeds as f64 * share(n).powi(2)) as i64;
        let seen_at = FIRST + n as i64 * between;
        let sort_at = seen_at - (scattered(!n) % THREE_DAYS) as i64;
        let link = format!("https://site-{}.example/{n}-a-title-as-long-as-most", feed - 1);
        let (title, text) = (prose.words(n, 8), prose.words(n ^ 1 << 32, 50));
        let excerpt: String = text.chars().take(200).collect();
        let row =
            params![n as i64, feed, link, title, excerpt, "Ada Lovelace", sort_at, seen_at, hash(n), hash(n ^ 1 << 33)];
        entries.execute(row)?;
        bodies.execute(params![n as i64, format!("<p>{text}</p>")])?;
        for kind in [0_u64, 1] {
            keys.execute(params![feed, kind as i64, hash(n ^ (2 + kind) << 34), n as i64])?;
        }
        if n % AT_ONCE == 0 {
            connection.execute_batch(GO_ON)?;
        }
    }
    Ok(())
}

/// Statistics and the search index, as the program makes them; and whether counters are right.
async fn finish(database: &Path, size: Size) {
    let store = open(database).await;
    store.analyse_if_grown().await.expect("statistics can be made");
    while size.posts <= SEARCHED
        && matches!(engine::index_some(&store).await.expect("the index can be written"), store::Indexed::Part(_))
    {}
    for feed in (1..=size.feeds as i64).step_by(size.feeds / 20) {
        let (count, counted) = store.recount(UserId(1), FeedId(feed)).await.expect("a count").expect("a subscription");
        assert_eq!(count, counted, "feed {feed}");
    }
    store.close(at(LAST)).await.expect("the store can be closed");
}
