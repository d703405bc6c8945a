//! Sums of visits by the hour, in memory until they are written: once a minute, and when the worker ends
//! (docs/notes/rollups.md). What a visit counts as is `policy::rollup`; adding to what is there is `store`'s.
//!
//! What is being written is kept aside under a number until it is answered: sent again, it counts once.

use crate::engine::Engine;
use crate::visit::refresh::Refreshed;
use model::lease::Lease;
use model::rollup::{CountedVisit, Rollup, VisitClass};
use model::visit::VisitResult;
use policy::rollup::{class, code, count};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::StoreError;
use url::Url;

/// How often sums are written.
const EVERY: Duration = Duration::from_mins(1);

/// What this process has summed.
#[derive(Debug, Default)]
pub(crate) struct Rollups {
    summing: Mutex<Rollup>,
    /// One flush at a time.
    flush: tokio::sync::Mutex<Flush>,
}

#[derive(Debug, Default)]
struct Flush {
    /// Of the last one that was begun.
    number: i64,
    /// What it is about, until it is answered.
    unanswered: Option<Arc<Rollup>>,
}

impl Rollups {
    /// A visit was written.
    pub(crate) fn visited(&self, lease: &Lease, done: &Refreshed) {
        if let Some(visit) = counted(lease, done) {
            count(&mut self.summing.lock().unwrap_or_else(PoisonError::into_inner), visit);
        }
    }

    fn take(&self) -> Rollup {
        std::mem::take(&mut *self.summing.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What is summed of a visit. Names of private feeds and of their hosts are not for others.
fn counted(lease: &Lease, done: &Refreshed) -> Option<CountedVisit> {
    let class = class(done.result, done.status)?;
    let dossier = &lease.dossier;
    let is_public = dossier.owner.is_none();
    let host = || Url::parse(&dossier.url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let full = dossier.history.full_bytes.unwrap_or(0);
    Some(CountedVisit {
        at: done.at,
        class,
        feed: is_public.then_some(lease.feed),
        host: if is_public { host() } else { None },
        code: (class == VisitClass::Error).then(|| code(done.status, done.failure)),
        busy: done.result == VisitResult::Busy,
        took: done.took,
        bytes: done.wire_bytes,
        bytes_saved: if class == VisitClass::NotModified { full.saturating_sub(done.wire_bytes) } else { 0 },
        new_entries: done.new.len() as u64,
        changed_entries: done.changed as u64,
        interval: done.interval,
    })
}

/// Writes what was summed since the last time.
pub async fn flush_rollups(engine: &Engine) -> Result<(), StoreError> {
    let mut flush = engine.rollups.flush.lock().await;
    // What was not answered last time goes first, then what came since.
    loop {
        let sums = if let Some(sums) = &flush.unanswered {
            Arc::clone(sums)
        } else {
            let sums = engine.rollups.take();
            if sums.is_empty() {
                return Ok(());
            }
            flush.number += 1;
            Arc::clone(flush.unanswered.insert(Arc::new(sums)))
        };
        engine.store.add_rollup(&engine.worker, flush.number, &sums, engine.now()).await?;
        flush.unanswered = None;
    }
}

/// Writes the sums every minute, for ever.
pub(crate) async fn keep_flushing(engine: Engine) {
    loop {
        tokio::time::sleep(EVERY).await;
        if let Err(error) = flush_rollups(&engine).await {
            tracing::warn!(%error, "the sums of the last visits are not written yet");
        }
    }
}
