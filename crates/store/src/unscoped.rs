//! Reads without a viewer: what the program itself needs to work, whoever owns the feeds. Every one of them is here, so
//! that `grep unscoped` finds all their callers.
//!
//! The rule: a read that can return what a feed says, or that a feed exists (its address, title, visits, headers, bytes,
//! events), takes a [`Viewer`]. If it has none by nature (claims, recognition, retention, removal, the index, reading
//! documents again), it is a method of [`Unscoped`], and what it returns is never shown to a user. Sums over all feeds,
//! times, locks and settings are neither, and stay plain methods of [`Store`]. `tests/it/viewers.rs` checks the rule.

use crate::StoreError;
use crate::enrichments::Material;
use crate::feeds::{FeedName, FeedStatus};
use crate::index::Backlog;
use crate::purge::DuePurge;
use crate::retention::FeedRules;
use crate::store::Store;
use jiff::Timestamp;
use model::blob::BlobKey;
use model::enrichment::{Kind, Made};
use model::entry::{Entry, EntryBody, EntryKey, Hash, Known, KnownEntry};
use model::lease::Lease;
use model::raw::RawFetch;
use model::retention::{Kept, KeptRaw};
use model::{EntryId, FeedId, FetchId, UserId, Viewer, WorkerId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The reads that have no viewer.
#[derive(Clone, Copy)]
pub struct Unscoped<'s>(&'s Store);

impl Store {
    /// What the program reads for itself. What it returns is never shown to a user.
    pub fn unscoped(&self) -> Unscoped<'_> {
        Unscoped(self)
    }
}

/// What workers need.
impl Unscoped<'_> {
    /// Leases up to `limit` due feeds to a worker until a moment, longest due first.
    pub async fn claim_due(
        self,
        worker: &WorkerId,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Lease>, StoreError> {
        self.0.claim_due(worker, now, until, limit).await
    }

    /// What a worker would be told about a feed, which is not leased by this: only `rewrite` takes it, and only as long
    /// as nobody has been there since.
    pub async fn peek(self, feed: FeedId) -> Result<Lease, StoreError> {
        self.0.peek(feed).await
    }

    /// Which entries the feed's last reading showed, and what is known under the keys that these leave open.
    pub async fn known(
        self,
        feed: FeedId,
        open: impl FnOnce(&[KnownEntry]) -> Vec<EntryKey>,
    ) -> Result<Known, StoreError> {
        self.0.known(feed, open).await
    }

    /// Which feed an address belongs to, among the public ones or those of an owner: a feed that moves stays its owner's.
    pub async fn feed_at(self, url: &str, owner: Option<UserId>) -> Result<Option<FeedId>, StoreError> {
        self.0.feed_at(Viewer::Operator, url, owner).await
    }

    /// The feeds that are due.
    pub async fn due_feeds(self, now: Timestamp) -> Result<Vec<FeedId>, StoreError> {
        self.0.due_feeds(now).await
    }

    /// Which of these feeds were not visited since a moment and are due by another.
    pub async fn waiting(
        self,
        feeds: impl IntoIterator<Item = FeedId>,
        since: Timestamp,
        due_by: Timestamp,
    ) -> Result<Vec<FeedId>, StoreError> {
        self.0.waiting(feeds, since, due_by).await
    }

    /// When feeds publish, for those that are visited, after an id.
    pub async fn rhythms(self, after: FeedId, limit: u32) -> Result<Vec<(FeedId, Option<Vec<u8>>)>, StoreError> {
        self.0.rhythms(after, limit).await
    }

    /// Groups that are paused at a moment, the longest pause first. Their names are domains of feeds.
    pub async fn paused_groups(self, now: Timestamp, limit: u32) -> Result<Vec<(String, Timestamp)>, StoreError> {
        self.0.paused_groups(now, limit).await
    }
}

/// What reading stored documents again needs.
impl Unscoped<'_> {
    /// A feed and where it stands.
    pub async fn feed(self, feed: FeedId) -> Result<FeedStatus, StoreError> {
        self.0.feed(Viewer::Operator, &FeedName::Id(feed)).await
    }

    /// Those of these entries that are there, with their heavy parts, in any order. One question.
    pub async fn entries_whole(self, ids: &[EntryId]) -> Result<Vec<(Entry, EntryBody)>, StoreError> {
        self.0.entries_whole(Viewer::Operator, ids).await
    }

    /// The raw fetches of a feed before one of them, newest first: a page of all there are.
    pub async fn raw_fetches_before(
        self,
        feed: FeedId,
        before: Option<(Timestamp, FetchId)>,
        limit: u32,
    ) -> Result<Vec<RawFetch>, StoreError> {
        self.0.raw_fetches_before(Viewer::Operator, feed, before, limit).await
    }
}

/// What upkeep needs: retention, removal of deleted feeds, sweeping of blobs, the search index.
impl Unscoped<'_> {
    /// Feeds with their own rules, in the order of their ids, without deleted ones.
    pub async fn feeds_with_rules(self, after: FeedId, limit: u32) -> Result<Vec<FeedRules>, StoreError> {
        self.0.feeds_with_rules(after, limit).await
    }

    /// A feed's entries as far as retention cares, oldest first.
    pub async fn kept(self, feed: FeedId, after: EntryId, limit: u32) -> Result<Vec<Kept>, StoreError> {
        self.0.kept(feed, after, limit).await
    }

    /// How many entries a feed has.
    pub async fn count_entries_of(self, feed: FeedId) -> Result<u64, StoreError> {
        self.0.count_entries_of(feed).await
    }

    /// A feed's raw fetches as far as retention cares, newest first.
    pub async fn kept_raw(
        self,
        feed: FeedId,
        before: Option<&KeptRaw>,
        limit: u32,
    ) -> Result<Vec<KeptRaw>, StoreError> {
        self.0.kept_raw(feed, before, limit).await
    }

    /// Deleted feeds that are to be removed by a moment, in the order of their ids.
    pub async fn due_purges(self, after: FeedId, by: Timestamp, limit: u32) -> Result<Vec<DuePurge>, StoreError> {
        self.0.due_purges(after, by, limit).await
    }

    /// Which of these blobs some raw fetch refers to.
    pub async fn live_blobs(self, keys: Vec<BlobKey>) -> Result<HashSet<BlobKey>, StoreError> {
        self.0.live_blobs(keys).await
    }

    /// What the index does not know yet: some changes, then up to `limit` new entries, of some MiB together.
    pub async fn backlog(self, limit: u32) -> Result<Backlog, StoreError> {
        self.0.backlog(limit).await
    }
}

/// What full texts need.
impl Unscoped<'_> {
    /// Entries after one, up to another, whose pages are wanted as soon as they arrive.
    pub async fn wanted_on_arrival(self, range: (EntryId, EntryId), limit: u32) -> Result<Vec<EntryId>, StoreError> {
        self.0.wanted_on_arrival(range, limit).await
    }
}

/// What enrichments need.
impl Unscoped<'_> {
    /// Entries among the newest of a feed whose text was not looked at, newest first.
    pub async fn unenriched(self, feed: FeedId, among: u32, limit: u32) -> Result<Vec<EntryId>, StoreError> {
        self.0.unenriched(feed, among, limit).await
    }

    /// What there is to work with; `None` if the entry or its feed is gone.
    pub async fn material(self, entry: EntryId, since: Timestamp) -> Result<Option<Material>, StoreError> {
        self.0.material(entry, since).await
    }

    /// The rules of a feed's own, and how many want its entries enriched; `None` if it is gone.
    pub async fn enriched_feed(self, feed: FeedId) -> Result<Option<(BTreeMap<String, String>, u32)>, StoreError> {
        self.0.enriched_feed(feed).await
    }

    /// Results that are there already, by their keys.
    pub async fn results(self, keys: &[Hash]) -> Result<HashMap<Hash, Made>, StoreError> {
        self.0.results(keys).await
    }

    /// Entries whose enrichment of a kind failed, newest first.
    pub async fn failed_enrichments(self, kind: Kind, limit: u32) -> Result<Vec<EntryId>, StoreError> {
        self.0.failed_enrichments(kind, limit).await
    }
}
