//! The peer: what a competent developer writes in an afternoon. Many concurrent requests with validators, an existing
//! parser, one thread that writes rows in large transactions, and optionally a full-text index by trigger.
//!
//! No raw bytes, no cleaning, no schedule, no events, no politeness: that is the point of the comparison.

use std::path::Path;
use std::time::Duration;

use feed_rs::model::Feed;
use flate2::read::GzDecoder;
use futures_util::StreamExt as _;
use reqwest::StatusCode;
use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use rusqlite::{Connection, params};
use tokio::sync::mpsc;

const AT_ONCE: usize = 64;
/// The maximum of feeds in one transaction.
const TOGETHER: usize = 128;

const TABLES: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS feeds (
        id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, title TEXT, etag TEXT, last_modified TEXT);
    CREATE TABLE IF NOT EXISTS entries (
        id INTEGER PRIMARY KEY, feed_id INTEGER NOT NULL, uid TEXT NOT NULL, link TEXT, title TEXT, author TEXT,
        published INTEGER, summary TEXT, content TEXT, read INTEGER NOT NULL DEFAULT 0, UNIQUE (feed_id, uid));
    CREATE INDEX IF NOT EXISTS unread ON entries (published DESC) WHERE read = 0;";

const SEARCH: &str = "
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, content, content = 'entries', content_rowid = 'id');
    CREATE TRIGGER IF NOT EXISTS entry_words AFTER INSERT ON entries BEGIN
        INSERT INTO words (rowid, title, content) VALUES (new.id, new.title, new.content);
    END;";

/// Whether there is a full-text index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    Without,
    With,
}

/// Visits every feed of a list once and stores what is new. Returns the number of new entries.
pub(crate) fn run(urls: &Path, database: &Path, search: Search) -> usize {
    let mut database = Connection::open(database).expect("the database opens");
    database.execute_batch(TABLES).expect("tables");
    if search == Search::With {
        database.execute_batch(SEARCH).expect("an index of words");
    }
    let sources = sources(&mut database, &std::fs::read_to_string(urls).expect("a list of addresses")).expect("feeds");
    let (found, finds) = mpsc::channel(TOGETHER);
    let writer = std::thread::spawn(move || keep(&mut database, finds).expect("rows can be written"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(visit_all(sources, found));
    writer.join().expect("the writer does not panic")
}

struct Source {
    id: i64,
    url: String,
    etag: Option<String>,
    last_modified: Option<String>,
}

struct Found {
    id: i64,
    etag: Option<String>,
    last_modified: Option<String>,
    feed: Feed,
}

fn sources(database: &mut Connection, urls: &str) -> rusqlite::Result<Vec<Source>> {
    let transaction = database.transaction()?;
    for url in urls.lines() {
        transaction.execute("INSERT INTO feeds (url) VALUES (?1) ON CONFLICT DO NOTHING", [url])?;
    }
    transaction.commit()?;
    let mut all = database.prepare("SELECT id, url, etag, last_modified FROM feeds")?;
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Source { id: row.get(0)?, url: row.get(1)?, etag: row.get(2)?, last_modified: row.get(3)? })
    };
    all.query_map([], row)?.collect()
}

#[expect(
    clippy::disallowed_types,
    reason = "the peer visits the origin of this benchmark, with the client that is at hand"
)]
async fn visit_all(sources: Vec<Source>, found: mpsc::Sender<Found>) {
    let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).build().expect("a client");
    let visits = sources.into_iter().map(|source| tokio::spawn(visit(client.clone(), source)));
    let mut visits = futures_util::stream::iter(visits).buffer_unordered(AT_ONCE);
    while let Some(visit) = visits.next().await {
        match visit.expect("a visit does not panic") {
            Ok(Some(news)) => found.send(news).await.expect("the writer listens"),
            Ok(None) => {}
            Err(error) => eprintln!("{error}"),
        }
    }
}

/// `None` if nothing has changed.
#[expect(
    clippy::disallowed_types,
    reason = "the peer visits the origin of this benchmark, with the client that is at hand"
)]
async fn visit(
    client: reqwest::Client,
    source: Source,
) -> Result<Option<Found>, Box<dyn std::error::Error + Send + Sync>> {
    let mut request = client.get(&source.url).header(ACCEPT_ENCODING, "gzip");
    if let Some(etag) = &source.etag {
        request = request.header(IF_NONE_MATCH, etag);
    }
    if let Some(last_modified) = &source.last_modified {
        request = request.header(IF_MODIFIED_SINCE, last_modified);
    }
    let answer = request.send().await?.error_for_status()?;
    if answer.status() == StatusCode::NOT_MODIFIED {
        return Ok(None);
    }
    let text = |headers: &HeaderMap, name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let headers = answer.headers().clone();
    let body = answer.bytes().await?;
    let feed = match headers.get(CONTENT_ENCODING) {
        Some(coding) if coding == "gzip" => {
            feed_rs::parser::parse(std::io::BufReader::with_capacity(64 << 10, GzDecoder::new(&body[..])))?
        }
        _ => feed_rs::parser::parse(&body[..])?,
    };
    Ok(Some(Found { id: source.id, etag: text(&headers, ETAG), last_modified: text(&headers, LAST_MODIFIED), feed }))
}

fn keep(database: &mut Connection, mut finds: mpsc::Receiver<Found>) -> rusqlite::Result<usize> {
    let mut new = 0;
    let mut batch = Vec::new();
    while finds.blocking_recv_many(&mut batch, TOGETHER) > 0 {
        let transaction = database.transaction()?;
        for Found { id, etag, last_modified, feed } in batch.drain(..) {
            transaction
                .prepare_cached("UPDATE feeds SET title = ?2, etag = ?3, last_modified = ?4 WHERE id = ?1")?
                .execute(params![id, feed.title.map(|title| title.content), etag, last_modified])?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO entries (feed_id, uid, link, title, author, published, summary, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
            )?;
            for entry in feed.entries {
                new += insert.execute(params![
                    id,
                    entry.id,
                    entry.links.first().map(|link| &link.href),
                    entry.title.map(|title| title.content),
                    entry.authors.first().map(|author| &author.name),
                    entry.published.or(entry.updated).map(|at| at.timestamp()),
                    entry.summary.map(|summary| summary.content),
                    entry.content.and_then(|content| content.body),
                ])?;
            }
        }
        transaction.commit()?;
    }
    Ok(new)
}
