//! Asking for jobs: when an entry is opened, when its full text arrives, when somebody wants it made again. Returns at once.

use crate::enrich::Enrich;
use jiff::Timestamp;
use model::enrichment::{Body, Kind, Wish};
use model::entry::Hash;
use model::job::{NewJob, Priority};
use model::{EntryId, FeedId, Viewer};
use store::StoreError;

/// The jobs that ask a model: `12/summary`.
pub const MODEL: &str = "enrich.model";
/// Entries that are made again at once.
const MOST: u32 = 10_000;

/// What a job of the local stage is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Feed(FeedId),
    Entry(EntryId),
}

impl Subject {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (what, id) = text.split_once(':')?;
        match what {
            "feed" => id.parse().ok().map(|id| Self::Feed(FeedId(id))),
            "entry" => id.parse().ok().map(|id| Self::Entry(EntryId(id))),
            _ => None,
        }
    }
}

/// Asks a model for one thing about one entry.
pub(crate) fn model_job(wish: Wish, priority: Priority, due_at: Timestamp) -> NewJob {
    NewJob { kind: MODEL.to_owned(), subject: wish.to_string(), priority, due_at }
}

/// Whether anything was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    /// Nothing: all is there, or nobody wants it.
    Nothing,
    /// Some of it will be made.
    AskedFor,
}

impl Enrich {
    /// Somebody opened an entry: what it lacks comes first. Returns at once.
    pub async fn open_entry(&self, viewer: Viewer, entry: EntryId) -> Result<Opened, StoreError> {
        let kinds = self.rules().ai.wanted();
        if !self.options().rules.ai.enabled {
            return Ok(Opened::Nothing);
        }
        let known = self.store().enrichments(viewer, entry).await?;
        let is_local = |kind: Kind| {
            known.iter().any(|found| {
                found.kind == kind
                    && found.made.as_ref().is_some_and(|made| made.source.provider == crate::LOCAL_PROVIDER)
            })
        };
        let now = self.now();
        let mut jobs = Vec::new();
        if known.is_empty() {
            jobs.push(NewJob::enrich_entry(entry, Priority::High, now));
        } else {
            // It waits for the model already; now it comes first.
            let waiting = kinds.iter().filter(|kind| is_local(*kind) && self.model_for(*kind).is_some());
            for wish in waiting.map(|kind| Wish { entry, kind }) {
                if self.store().jobs_ahead(MODEL, &wish.to_string(), 1).await?.is_some() {
                    jobs.push(model_job(wish, Priority::High, now));
                }
            }
        }
        self.store().enqueue_jobs(&jobs, now).await?;
        Ok(if jobs.is_empty() { Opened::Nothing } else { Opened::AskedFor })
    }

    /// Somebody wants the enrichments of an entry, also those that failed.
    pub async fn retry_entry(&self, viewer: Viewer, entry: EntryId) -> Result<(), StoreError> {
        let found = self.store().entry(viewer, entry).await?;
        let known = self.store().enrichments(viewer, entry).await?;
        let failed = |found: &model::enrichment::Enrichment| {
            found.made.as_ref().is_none_or(|made| matches!(made.body, Body::Failed(_))) || found.why.is_some()
        };
        if known.iter().any(failed) {
            self.store().forget_enrichment_failures(found.content_hash, 1).await?;
        }
        self.store().enqueue_jobs(&[NewJob::enrich_entry(entry, Priority::High, self.now())], self.now()).await
    }

    /// Makes everything again that has a content; returns for how many entries.
    pub async fn reprocess(&self, content: Hash) -> Result<usize, StoreError> {
        let entries = self.store().forget_enrichment_failures(content, MOST).await?;
        self.ask_again(&entries).await?;
        Ok(entries.len())
    }

    /// Tries again what failed, of a kind; returns for how many entries.
    pub async fn retry_failed(&self, kind: Kind, most: u32) -> Result<usize, StoreError> {
        let entries = self.store().unscoped().failed_enrichments(kind, most).await?;
        for entry in &entries {
            let found = self.store().entry(Viewer::Operator, *entry).await?;
            self.store().forget_enrichment_failures(found.content_hash, 1).await?;
        }
        self.ask_again(&entries).await?;
        Ok(entries.len())
    }

    /// Asks for the newest entries of feeds, as if they had just arrived.
    pub async fn ask_for_feeds(&self, feeds: &[FeedId]) -> Result<(), StoreError> {
        let now = self.now();
        let jobs: Vec<NewJob> = feeds.iter().map(|feed| NewJob::enrich_feed(*feed, now)).collect();
        self.store().enqueue_jobs(&jobs, now).await
    }

    async fn ask_again(&self, entries: &[EntryId]) -> Result<(), StoreError> {
        let now = self.now();
        let jobs: Vec<NewJob> =
            entries.iter().map(|entry| NewJob::enrich_entry(*entry, Priority::Normal, now)).collect();
        self.store().enqueue_jobs(&jobs, now).await
    }
}
