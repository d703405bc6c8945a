//! Stored documents of a feed, parsed again: look, decide and, if asked to, commit. No publisher is visited.
//!
//! Ids, read state, schedule and history stay. Writes are fenced like those of a refresh: if a worker has visited the feed
//! meanwhile, nothing is written. Only one document is in memory at a time, with counts and some examples of what was found.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::stored;
use crate::visit::refresh::rules;
use blobs::BlobError;
use jiff::Timestamp;
use model::feed::Feed;
use model::lease::Lease;
use model::raw::RawFetch;
use model::reading::{End, Reading};
use model::{EntryId, FeedId};
use policy::DocumentKeys;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use store::{Rewrite, StoreError};

/// What is read again, and whether anything comes of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reparsing {
    /// Only documents that were served since.
    pub since: Option<Timestamp>,
    /// Whether what is different is written.
    pub write: bool,
    /// At most this many entries of each kind are listed.
    pub examples: usize,
}

/// What the documents of a feed say now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reparsed {
    /// Documents that were read.
    pub documents: usize,
    /// Documents whose bytes are not there any more, or are no feed.
    pub unreadable: usize,
    /// How many entries changed, or moved in lists.
    pub changed: usize,
    /// How many entries were not recognised as such before.
    pub new: usize,
    /// In how many entries each field is different; in the feed itself, too.
    pub fields: BTreeMap<&'static str, usize>,
    /// Some of the entries that are different.
    pub examples: Vec<Difference>,
    /// The titles of some of the new ones.
    pub new_titles: Vec<String>,
    /// A worker visited the feed meanwhile: from there on nothing was written or counted.
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

impl Reparsed {
    /// Whether there is nothing to tell.
    pub fn says_the_same(&self) -> bool {
        self.fields.is_empty() && self.new == 0
    }

    /// Adds what another document, or another feed, came to.
    pub fn add(&mut self, found: Self, examples: usize) {
        self.documents += found.documents;
        self.unreadable += found.unreadable;
        self.changed += found.changed;
        self.new += found.new;
        for (field, count) in found.fields {
            *self.fields.entry(field).or_default() += count;
        }
        self.examples.extend(found.examples.into_iter().take(examples.saturating_sub(self.examples.len())));
        self.new_titles.extend(found.new_titles.into_iter().take(examples.saturating_sub(self.new_titles.len())));
        self.interrupted |= found.interrupted;
    }
}

/// Documents that are listed at a time.
const PAGE: u32 = 50;

/// Reads a feed's stored documents again, the newest first: what an entry says last is what counts.
pub async fn reparse(engine: &Engine, feed: FeedId, how: Reparsing) -> Result<Reparsed, EngineError> {
    let engine = &engine.in_background();
    let mut reparsed = Reparsed::default();
    let mut seen = Seen::default();
    let mut before = None;
    loop {
        let page = engine.store.unscoped().raw_fetches_before(feed, before, PAGE).await?;
        let Some(last) = page.last() else { return Ok(reparsed) };
        before = Some((last.fetched_at, last.id));
        for raw in page {
            if how.since.is_some_and(|since| raw.fetched_at < since) {
                return Ok(reparsed);
            }
            // Half a document would mean that the other half is gone, and the body of an error is no document.
            if raw.truncated || !(200..300).contains(&raw.status) {
                continue;
            }
            let peeked = engine.store.unscoped().peek(feed).await?;
            let Some((rewrite, found)) = read_again(engine, &peeked, &raw, &mut seen, how).await? else {
                reparsed.unreadable += 1;
                continue;
            };
            if how.write && rewrite != Rewrite::default() {
                match engine.store.rewrite(&peeked, rewrite, engine.now()).await {
                    Err(StoreError::LeaseLost { .. }) => {
                        reparsed.interrupted = true;
                        return Ok(reparsed);
                    }
                    other => other?,
                }
            }
            reparsed.add(found, how.examples);
        }
    }
}

/// What earlier, that is newer, documents have shown.
#[derive(Default)]
struct Seen {
    /// Hashes of the names of new entries. Without writing, an older document brings the same ones once more.
    new: HashSet<u64>,
    /// Whether the document was there that the feed's row speaks of.
    facts: bool,
}

/// What one document would change, and the report of it; `None` if it cannot be parsed.
async fn read_again(
    engine: &Engine,
    peeked: &Lease,
    raw: &RawFetch,
    seen: &mut Seen,
    how: Reparsing,
) -> Result<Option<(Rewrite, Reparsed)>, EngineError> {
    let decoded = match stored::decoded(engine, raw).await {
        Err(BlobError::NotFound { .. } | BlobError::Corrupt { .. }) => return Ok(None),
        other => other?,
    };
    let hints =
        syndication::Hints { content_type: raw.content_type.as_deref(), base_url: Some(&raw.url), language: None };
    let Ok(reading) = syndication::read(&decoded, &hints, &engine.options.document) else { return Ok(None) };
    let (mut rewrite, mut found) = entries(engine, peeked, raw, &reading, how).await?;
    rewrite.new.retain(|entry| how.write || seen.new.insert(short(&entry.uid)));
    found.new = rewrite.new.len();
    let titles = rewrite.new.iter().map(|entry| entry.version.title.clone().unwrap_or_default());
    found.new_titles = titles.take(how.examples).collect();
    // Only the newest document says what the feed is called now.
    let is_last = peeked.dossier.history.body_hash.is_none_or(|last| last == policy::body_hash(&decoded));
    // Nor does one that was cut off.
    if is_last && reading.end != End::Early && !std::mem::replace(&mut seen.facts, true) {
        let feed: Feed = engine.store.unscoped().feed(peeked.feed).await?.feed;
        if let Some((facts, what)) = policy::different_facts(&feed, &reading) {
            rewrite.facts = Some(facts);
            found.fields.extend(what.into_iter().map(|what| (what, 1)));
        }
    }
    found.documents = 1;
    Ok(Some((rewrite, found)))
}

/// What the entries of a document say now.
async fn entries(
    engine: &Engine,
    peeked: &Lease,
    raw: &RawFetch,
    reading: &Reading,
    how: Reparsing,
) -> Result<(Rewrite, Reparsed), EngineError> {
    let rules = rules(engine, peeked);
    let keys = DocumentKeys::of(reading, &peeked.dossier, &rules);
    let known = engine.store.unscoped().known(peeked.feed, |_| keys.all(reading, &rules)).await?;
    let again = policy::reread(engine.now(), &peeked.dossier, reading, &known, raw, &rules);
    let ids: Vec<EntryId> = again.known.iter().map(|entry| entry.id).collect();
    let stored = engine.store.unscoped().entries_whole(&ids).await?;
    let stored: HashMap<EntryId, _> = stored.iter().map(|(entry, body)| (entry.id, (entry, body))).collect();
    let mut rewrite = Rewrite { new: again.new, ..Rewrite::default() };
    let mut found = Reparsed::default();
    for mut entry in again.known {
        // Forgotten since it was recognised.
        let Some((stored, body)) = stored.get(&entry.id) else { continue };
        let different = policy::differences(stored, body, &mut entry, raw, &rules);
        if different.what.is_empty() {
            continue;
        }
        found.changed += 1;
        for field in &different.what {
            *found.fields.entry(field).or_default() += 1;
        }
        rewrite.sorted.extend(different.sort_at.map(|at| (entry.id, at)));
        let says_otherwise = different.says_otherwise();
        if found.examples.len() < how.examples {
            let title = entry.version.title.clone();
            found.examples.push(Difference { entry: entry.id, title, what: different.what });
        }
        if says_otherwise {
            rewrite.changed.push(entry);
        }
    }
    Ok((rewrite, found))
}

/// Eight bytes of a name: enough to count by.
fn short(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
