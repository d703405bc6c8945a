//! No article is lost because of bad ids or links: what is stored after several visits, with the real binary on both
//! databases.

use std::fmt::Write as _;

use serde_json::Value;
use testkit::{Origin, Response};

use crate::commands::Terminal;

/// A feed of entries given as (guid, link, title, hour of publication).
fn feed(entries: &[(&str, &str, &str, u8)]) -> Response {
    let mut text = String::from("<rss version='2.0'><channel><title>One</title>");
    for (guid, link, title, hour) in entries {
        let _ = write!(
            text,
            "<item><guid isPermaLink='false'>{guid}</guid><link>https://one.example{link}</link><title>{title}</title>\
             <pubDate>Mon, 05 Jan 2026 {hour:02}:30:00 GMT</pubDate></item>"
        );
    }
    text.push_str("</channel></rss>");
    Response::body("application/rss+xml", text)
}

/// The titles that are stored after these documents, oldest first.
async fn titles_after(mut terminal: Terminal, documents: &[&[(&str, &str, &str, u8)]]) -> (Terminal, String) {
    let origin = Origin::start().await;
    let url = origin.url("/feed");
    origin.at("/feed", feed(documents[0]));
    terminal.says(&format!("feed add --as-is {url}"), "added").await;
    for document in documents {
        origin.at("/feed", feed(document));
        terminal.json("fetch --all").await;
    }
    let entries = terminal.json("entries").await;
    let told = |entry: &Value| (entry["id"].as_i64().unwrap(), entry["title"].as_str().unwrap().to_owned());
    let mut titles: Vec<(i64, String)> = entries.as_array().unwrap().iter().map(told).collect();
    titles.sort();
    (terminal, titles.into_iter().map(|(_, title)| title).collect::<Vec<_>>().join(" "))
}

const STATUS: &[&[(&str, &str, &str, u8)]] = &[
    &[("g1", "/status", "One", 1)],
    &[("g2", "/status", "Two", 2)],
    &[("g3", "/status", "Three", 3)],
    &[("g4", "/status", "Four", 4)],
];

const SHARED: &[&[(&str, &str, &str, u8)]] =
    &[&[("g1", "/p", "One", 1), ("g2", "/p", "Two", 2), ("g3", "/p", "Three", 3)], &[("g4", "/p", "Four", 4)]];

const ONE_ID: &[&[(&str, &str, &str, u8)]] = &[
    &[("same", "/g1", "One", 1)],
    &[("same", "/g2", "Two", 2)],
    &[("same", "/g3", "Three", 3)],
    &[("same", "/g4", "Four", 4)],
    &[("same", "/g5", "Five", 5), ("same", "/g4", "Four", 4), ("same", "/g3", "Three", 3), ("same", "/g2", "Two", 2)],
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_articles_do_not_overwrite_old_ones() {
    for (preset, expected) in [("courant", "One Two Three Four"), ("fetcher", "One Two Three Four"), ("reader", "One")]
    {
        for documents in [STATUS, SHARED] {
            let (_, titles) = titles_after(Terminal::new().env("COURANT_PRESET", preset), documents).await;
            assert_eq!(titles, expected, "{preset}");
        }
    }
    let database = testkit::services::postgres().await;
    let (_, titles) = titles_after(Terminal::on(database.url()), STATUS).await;
    assert_eq!(titles, "One Two Three Four", "on PostgreSQL");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_id_for_several_articles_loses_none_and_is_reported_once() {
    let database = testkit::services::postgres().await;
    for terminal in [Terminal::new(), Terminal::on(database.url())] {
        let terminal = terminal.env("COURANT_PRESET", "reader").env("COURANT_LOG", "warn");
        let (mut terminal, titles) = titles_after(terminal, ONE_ID).await;
        assert_eq!(titles, "One Two Three Four Five");
        let warnings = terminal.errors().matches("guids are unreliable").count();
        assert_eq!(warnings, 1, "A-70: {}", terminal.errors());
        terminal.says("feed show 1", "its ids are unreliable").await;
        terminal.says("feed explain 1", "its ids are unreliable").await;
        assert_eq!(terminal.json("feed show 1").await["guids"]["unreliable"], true);
    }
}
