//! Starred items that another program exported as JSON become bookmarks: Miniflux (`entries` of its API) and FreshRSS (the
//! form of Google Reader, `items`). What a stranger's file says is cleaned.

use crate::error::ReaderError;
use crate::import_reedme::snapshot;
use jiff::Timestamp;
use model::UserId;
use model::library::NewBookmark;
use serde_json::Value;
use store::{Made, Store};

/// What an import brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StarsImported {
    /// Bookmarks that are new.
    pub bookmarks: u64,
    /// Pages that the user had.
    pub known: u64,
    /// Items without an address.
    pub left_out: u64,
}

/// It is no such file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no list of starred items: {0}")]
pub struct NotStars(String);

/// Imports starred items for a user. Those that the user has stay as they are.
pub async fn import_stars(
    store: &Store,
    user: UserId,
    json: &[u8],
    now: Timestamp,
) -> Result<Result<StarsImported, NotStars>, ReaderError> {
    let document: Value = match serde_json::from_slice(json) {
        Ok(document) => document,
        Err(error) => return Ok(Err(NotStars(error.to_string()))),
    };
    let (items, read): (_, fn(&Value) -> NewBookmark) = match (&document["entries"], &document["items"], &document) {
        (Value::Array(entries), _, _) | (_, _, Value::Array(entries)) => (entries, miniflux),
        (_, Value::Array(items), _) => (items, google_reader),
        _ => return Ok(Err(NotStars("it has neither `entries` nor `items`".to_owned()))),
    };
    let mut told = StarsImported::default();
    for item in items {
        let new = read(item);
        if new.link.is_none() {
            told.left_out += 1;
            continue;
        }
        // The newest comes first in a list: by its date, where it has one.
        let at = new.published_at.filter(|at| *at < now).unwrap_or(now);
        match store.add_bookmark(user, new, at).await?.1 {
            Made::New => told.bookmarks += 1,
            Made::Existing => told.known += 1,
        }
    }
    Ok(Ok(told))
}

fn miniflux(entry: &Value) -> NewBookmark {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    let published = text("published_at").parse().ok();
    NewBookmark {
        author: Some(text("author").to_owned()).filter(|author| !author.is_empty()),
        feed_name: entry["feed"]["title"].as_str().unwrap_or_default().to_owned(),
        ..snapshot(text("url"), text("title"), text("content"), published)
    }
}

fn google_reader(item: &Value) -> NewBookmark {
    let link = item["canonical"][0]["href"].as_str().or_else(|| item["alternate"][0]["href"].as_str());
    let html = item["content"]["content"].as_str().or_else(|| item["summary"]["content"].as_str());
    let published = item["published"].as_i64().and_then(|seconds| Timestamp::from_second(seconds).ok());
    NewBookmark {
        author: item["author"].as_str().map(str::to_owned).filter(|author| !author.is_empty()),
        feed_name: item["origin"]["title"].as_str().unwrap_or_default().to_owned(),
        ..snapshot(
            link.unwrap_or_default(),
            item["title"].as_str().unwrap_or_default(),
            html.unwrap_or_default(),
            published,
        )
    }
}
