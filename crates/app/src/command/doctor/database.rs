//! What is kept: the database, the raw bytes, and how the feeds are doing.
//!
//! A SQLite file is looked at from outside first; it is opened as a store only when it is whole and needs no migration,
//! for looking must not change it.

use blobs::Blobs;
use jiff::{SignedDuration, Timestamp};
use model::feed::FeedState;
use store::{FeedStatus, Purpose, Store, StoreError};

use super::super::Context;
use super::Findings;
use crate::config::{Config, DatabaseUrl};
use crate::wiring::{self, Patience};

/// Feeds whose newest raw bytes are read again.
const SAMPLE: usize = 20;
/// A feed that was due so long ago should have been visited.
const OVERDUE: SignedDuration = SignedDuration::from_hours(1);

pub(super) async fn examine(context: &Context, config: &Config, running: bool, found: &mut Findings) {
    if let DatabaseUrl::Sqlite(path) = &config.database.url {
        if !path.exists() {
            return found.warning("database", format!("{} is not there yet: the first start makes it", path.display()));
        }
        let file = path.clone();
        let facts = tokio::task::spawn_blocking(move || store::inspect_file(&file)).await;
        match facts.expect("looking at a file does not panic") {
            Err(error) => return found.problem("database", error.to_string()),
            Ok(facts) => {
                let size = format!("{}, {} MiB, {} entries", path.display(), facts.bytes >> 20, facts.entries);
                found.ok("database", format!("{size}, whole, schema {}", facts.schema));
                // One that is running has not stopped yet.
                if facts.last_stop.as_deref() == Some("unclean") && !running {
                    found.warning("last stop", "the last server was cut off: the next start checks the file first");
                }
                if facts.schema < facts.newest {
                    let what = format!("schema {}: the next start brings it to {}", facts.schema, facts.newest);
                    return found.warning("database", format!("{what}; make a backup first"));
                }
            }
        }
    }
    match wiring::open_store(config, Purpose::Command, Patience::Look, &context.clock).await {
        Err(error) => found.problem("database", format!("{error:#}")),
        Ok(store) => {
            if matches!(config.database.url, DatabaseUrl::Postgres(_)) {
                found.ok("database", format!("{} answers", store.name()));
            }
            let looked = look(context, config, &store, found).await;
            if let Err(error) = looked {
                found.problem("database", format!("{error:#}"));
            }
            // Nothing was written: nothing can be lost by how it closes.
            let _ = store.close(context.clock.now()).await;
        }
    }
}

async fn look(context: &Context, config: &Config, store: &Store, found: &mut Findings) -> anyhow::Result<()> {
    let mut feeds: Vec<FeedStatus> = Vec::new();
    loop {
        let page = store.feeds(feeds.last().map(|status| status.feed.id), 1000).await?;
        if page.is_empty() {
            break;
        }
        feeds.extend(page);
    }
    tell_feeds(&feeds, context.clock.now(), found);
    match wiring::open_blobs(config).await {
        Err(error) => found.problem("blobs", format!("{error:#}")),
        Ok(blobs) => sample(&feeds, store, &blobs, found).await?,
    }
    Ok(())
}

fn tell_feeds(feeds: &[FeedStatus], now: Timestamp, found: &mut Findings) {
    let count = |is: &dyn Fn(&FeedStatus) -> bool| feeds.iter().filter(|status| is(status)).count();
    let active = |status: &FeedStatus| status.feed.state == FeedState::Active;
    let failing = count(&|status| active(status) && status.failures > 0);
    let disabled = count(&|status| matches!(status.feed.state, FeedState::Disabled { .. }));
    let never = count(&|status| active(status) && status.last_visit_at.is_none());
    let overdue = count(&|status| {
        let late = |due: Timestamp| now.duration_since(due) > OVERDUE;
        active(status) && status.worker.is_none() && status.due_at.is_some_and(late)
    });
    let says = format!("{} feeds: {failing} failing, {disabled} disabled, {never} never visited", feeds.len());
    if failing + disabled > 0 {
        found.warning("feeds", format!("{says}; courant feed list says why"));
    } else {
        found.ok("feeds", says);
    }
    if overdue > 0 {
        found.warning("visits", format!("{overdue} feeds are overdue by more than an hour: is a server running?"));
    }
    let ahead = feeds.iter().filter_map(|status| status.last_visit_at).max();
    if let Some(latest) = ahead.filter(|latest| latest.duration_since(now) > OVERDUE) {
        found.problem("clock", format!("it says {now}, but a feed was visited at {latest}: set the clock"));
    }
}

/// Reads the newest bytes of some feeds again.
async fn sample(feeds: &[FeedStatus], store: &Store, blobs: &Blobs, found: &mut Findings) -> Result<(), StoreError> {
    let (mut whole, mut broken) = (0, Vec::new());
    // Spread over all feeds, old and new.
    let step = (feeds.len() / SAMPLE).max(1);
    for status in feeds.iter().step_by(step).take(SAMPLE) {
        for raw in store.raw_fetches(status.feed.id, 1).await? {
            match blobs.wire(&raw.blob).await {
                Ok(_) => whole += 1,
                Err(error) => broken.push(format!("{error:#}")),
            }
        }
    }
    match broken.first() {
        None => found.ok("blobs", format!("{blobs} can be written to; {whole} samples are whole")),
        Some(first) => found.problem(
            "blobs",
            format!(
                "{} of {} samples cannot be read, such as: {first}; restore them from a backup",
                broken.len(),
                broken.len() + whole
            ),
        ),
    }
    Ok(())
}
