//! Indexing: entries become plain text and go to the search index, in the background.
//!
//! `store` knows what is not indexed yet and refuses outdated writes; the text is made here, because the store does not
//! know `content`. Called by the maintenance role, and by a command that wants to find what just arrived.

use crate::engine::Engine;
use std::time::Duration;
use store::{IndexDocument, Indexed, Store, StoreError, Unindexed};
use work::Stop;

/// Entries per transaction: the more there are, the less each costs; thousands are some MiB.
const PART: u32 = 2_000;
/// Between two looks. Entries that arrive meanwhile are indexed together, and can be found some seconds later.
const WAIT: Duration = Duration::from_secs(3);
/// After a failure, or while another process indexes.
const LATER: Duration = Duration::from_mins(1);

/// Indexes new entries until it is told to stop.
pub async fn index(engine: Engine, mut stop: Stop) {
    let engine = engine.in_background();
    while !*stop.borrow() {
        let pause = match index_some(&engine.store).await {
            Ok(Indexed::Done(_)) => WAIT,
            Ok(Indexed::Part(_)) => Duration::ZERO,
            Ok(Indexed::Overtaken) => LATER,
            Err(error) => {
                tracing::warn!(%error, "the search index cannot be kept up to date; tried again in a minute");
                LATER
            }
        };
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Indexes some thousands of new entries and some changes; `Part` while there are more.
pub async fn index_some(store: &Store) -> Result<Indexed, StoreError> {
    let mut backlog = store.unscoped().backlog(PART).await?;
    if backlog.is_empty() {
        return Ok(Indexed::Done(0));
    }
    let documents: Vec<IndexDocument> = std::mem::take(&mut backlog.entries).into_iter().map(document).collect();
    store.index(backlog, &documents).await
}

/// An entry is found by its title, its text, its author and its categories.
fn document(entry: Unindexed) -> IndexDocument {
    let mut text = entry.html.as_deref().map(content::words_of_clean).unwrap_or_default();
    for more in entry.author.into_iter().chain(entry.categories) {
        text.push('\n');
        text.push_str(&more);
    }
    IndexDocument {
        entry: entry.entry,
        feed: entry.feed,
        sort_at: entry.sort_at,
        quiet: entry.quiet,
        title: entry.title.unwrap_or_default(),
        text,
    }
}
