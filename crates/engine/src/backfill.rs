//! Entries from elsewhere: a document that another program exported brings a feed what it said before we knew it.
//!
//! Recognised by the same keys as on a visit, so that the next visit finds its entries here, and importing again finds them,
//! too. They are quiet: nobody is told of news that is old.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::visit::refresh::rules;
use model::entry::KnownKey;
use model::{EntryId, FeedId};
use policy::DocumentKeys;
use std::collections::{HashMap, HashSet};
use store::{Rewrite, StoreError};

/// Somebody who visits the feed meanwhile goes first; after so many of them it is not tried again.
const ATTEMPTS: usize = 10;

/// What became of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backfilled {
    /// Its entries in their order, as they are stored; nothing for one that was deleted here, or is none.
    pub entries: Vec<Option<EntryId>>,
    /// Those that were not stored before.
    pub new: HashSet<EntryId>,
}

/// Adds the entries of a document to a feed, where they are not stored yet.
pub async fn backfill(engine: &Engine, feed: FeedId, document: &[u8]) -> Result<Backfilled, EngineError> {
    let store = &engine.store;
    let hints = syndication::Hints { content_type: Some("application/rss+xml"), ..syndication::Hints::default() };
    let Ok(reading) = syndication::read(document, &hints, &engine.options.document) else {
        return Ok(Backfilled::default());
    };
    for _ in 0..ATTEMPTS {
        let peeked = store.unscoped().peek(feed).await?;
        let rules = rules(engine, &peeked);
        let keys = DocumentKeys::of(&reading, &peeked.dossier, &rules);
        let known = store.unscoped().known(feed, |_| keys.all(&reading, &rules)).await?;
        let before: HashSet<EntryId> = known.entries.iter().map(|entry| entry.id).collect();
        let new = policy::backfill(engine.now(), &peeked.dossier, &reading, &known, &rules);
        if !new.is_empty() {
            match store.rewrite(&peeked, Rewrite { new, ..Rewrite::default() }, engine.now()).await {
                Err(StoreError::LeaseLost { .. }) => continue,
                other => other?,
            }
        }
        let known = store.unscoped().known(feed, |_| keys.all(&reading, &rules)).await?;
        let by_key: HashMap<_, _> = known.keys.into_iter().collect();
        let found = |keys: Vec<model::entry::EntryKey>| {
            keys.iter().find_map(|key| match by_key.get(key) {
                Some(KnownKey::Entry(id)) => Some(*id),
                Some(KnownKey::Tombstone) | None => None,
            })
        };
        let entries: Vec<Option<EntryId>> = keys.each(&reading, &rules).into_iter().map(found).collect();
        let new = entries.iter().flatten().copied().filter(|id| !before.contains(id)).collect();
        return Ok(Backfilled { entries, new });
    }
    Err(EngineError::Changing { feed })
}
