//! Stored documents of a feed, read again: look, think, and, if asked to, commit. Nobody is visited.
//!
//! Ids, read state, schedule and history stay. What is written is fenced like a refresh: if a worker has been there in
//! the meantime, nothing is.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::refresh::rules;
use blobs::BlobError;
use jiff::Timestamp;
use model::lease::Lease;
use model::raw::RawFetch;
use model::{EntryId, FeedId};
use std::collections::HashSet;
use store::{Rewrite, StoreError};

/// What is read again, and whether anything comes of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reparsing {
    /// Only documents that were served since.
    pub since: Option<Timestamp>,
    /// Whether what is different is written.
    pub write: bool,
}

/// What the documents of a feed say now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reparsed {
    /// Documents that were read.
    pub documents: usize,
    /// Documents whose bytes are not there any more, or are no feed.
    pub unreadable: usize,
    /// Entries that say something else.
    pub changed: Vec<Difference>,
    /// The titles of entries that were not recognised as such before.
    pub new: Vec<String>,
    /// A worker was at the feed: from there on nothing was written, and nothing is told.
    pub interrupted: bool,
}

/// An entry that says something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which.
    pub entry: EntryId,
    /// What it is called from now on.
    pub title: Option<String>,
    /// What is different, in words.
    pub what: Vec<&'static str>,
}

/// More documents of one feed are not read again.
const DOCUMENTS: u32 = 1000;

/// Reads a feed's stored documents again, the newest first: what an entry says last is what counts.
pub async fn reparse(engine: &Engine, feed: FeedId, how: Reparsing) -> Result<Reparsed, EngineError> {
    let mut reparsed = Reparsed::default();
    let mut seen = HashSet::new();
    for raw in engine.store.raw_fetches(feed, DOCUMENTS).await? {
        if how.since.is_some_and(|since| raw.fetched_at < since) {
            break;
        }
        // Half a document would say that the other half is gone.
        if raw.truncated {
            continue;
        }
        let peeked = engine.store.peek(feed).await?;
        let before = (reparsed.changed.len(), reparsed.new.len());
        let Some(mut rewrite) = read_again(engine, &peeked, &raw, &mut reparsed).await? else {
            reparsed.unreadable += 1;
            continue;
        };
        reparsed.documents += 1;
        // Without writing, an older document brings the same ones once more.
        rewrite.new.retain(|entry| seen.insert(entry.uid.clone()));
        reparsed.new.extend(rewrite.new.iter().map(|entry| entry.version.title.clone().unwrap_or_default()));
        if !how.write || rewrite == Rewrite::default() {
            continue;
        }
        match engine.store.rewrite(&peeked, rewrite, engine.now()).await {
            Err(StoreError::LeaseLost { .. }) => {
                reparsed.changed.truncate(before.0);
                reparsed.new.truncate(before.1);
                reparsed.interrupted = true;
                break;
            }
            other => other?,
        }
    }
    Ok(reparsed)
}

/// What one document would change; `None` if it cannot be read.
async fn read_again(
    engine: &Engine,
    peeked: &Lease,
    raw: &RawFetch,
    reparsed: &mut Reparsed,
) -> Result<Option<Rewrite>, EngineError> {
    // It was within the limits when it came; only its length is one now.
    let limits = coding::Limits { decoded_bytes: engine.options.document.document_bytes as u64, ratio: u64::MAX };
    let decoded = match engine.blobs.decoded(&raw.blob, limits).await {
        Err(BlobError::NotFound { .. } | BlobError::Corrupt { .. }) => return Ok(None),
        other => other?.bytes,
    };
    let hints =
        syndication::Hints { content_type: raw.content_type.as_deref(), base_url: Some(&raw.url), language: None };
    let Ok(reading) = syndication::read(&decoded, &hints, &engine.options.document) else { return Ok(None) };
    let rules = rules(engine, peeked);
    let keys = policy::document_keys(&reading, &peeked.dossier, &rules);
    let known = engine.store.known(peeked.feed, &keys).await?;
    let again = policy::reread(engine.now(), &peeked.dossier, &reading, &known, raw, &rules);
    let mut rewrite = Rewrite { new: again.new, changed: Vec::new() };
    for mut entry in again.known {
        let (stored, body) = (engine.store.entry(entry.id).await?, engine.store.entry_body(entry.id).await?);
        let what = policy::differences(&stored, &body, &mut entry);
        if !what.is_empty() {
            reparsed.changed.push(Difference { entry: entry.id, title: entry.version.title.clone(), what });
            rewrite.changed.push(entry);
        }
    }
    Ok(Some(rewrite))
}
