//! One cleanup: reads rows, lets `policy` decide, and deletes in steps of a few hundred rows under the maintenance lock, feed
//! by feed. Without the lock it only counts.

use super::ranges::FullRanges;
use super::{FeedReport, LAST_CLEANUP, RETENTION_CLOCK, RetainReport};
use crate::engine::Engine;
use crate::error::EngineError;
use jiff::{SignedDuration, Timestamp};
use model::retention::{Burial, CleanupRun, Counters, Kept};
use model::{EntryId, FeedId, FetchId};
use policy::rules::Retention;
use policy::{RawFate, RawKeeper, Rules, SizeStep, Tightening};
use std::collections::HashMap;
use store::{Compacted, FeedRules, Lock};

/// Set while the database is larger than it may be.
const DB_SIZE_WARNING: &str = "db_size_warning";

/// Feeds asked for at a time.
const FEEDS: u32 = 200;
/// Entries of one feed decided about at a time: this bounds the memory.
const WINDOW: u32 = 50_000;
/// Rows deleted in one transaction: other writers wait for no more than these.
const STEP: usize = 200;
/// Lines of the cleanup log are kept this long.
const KEEP_LOG: SignedDuration = SignedDuration::from_hours(90 * 24);

/// A cleanup in progress.
pub(super) struct Cleanup<'a> {
    engine: &'a Engine,
    as_of: Timestamp,
    /// None when nothing is to be changed.
    lock: Option<&'a Lock>,
    counters: Counters,
    feeds: HashMap<FeedId, FeedReport>,
    ranges: FullRanges,
    log_rows: u64,
    bytes_before: u64,
    bytes_after: u64,
    read_for: Option<SignedDuration>,
    compacted: bool,
    too_large: bool,
    began: Timestamp,
    took: SignedDuration,
    notes: Option<String>,
}

impl<'a> Cleanup<'a> {
    pub(super) async fn begin(
        engine: &'a Engine,
        as_of: Timestamp,
        lock: Option<&'a Lock>,
    ) -> Result<Self, EngineError> {
        let bytes = engine.store.size_bytes().await?;
        Ok(Self {
            engine,
            as_of,
            lock,
            counters: Counters::default(),
            feeds: HashMap::new(),
            ranges: FullRanges::of(&engine.store).await?,
            log_rows: 0,
            bytes_before: bytes,
            bytes_after: bytes,
            read_for: None,
            compacted: false,
            too_large: false,
            began: engine.now(),
            took: SignedDuration::ZERO,
            notes: None,
        })
    }

    /// One pass over all feeds, which may keep read entries for a shorter time than the rules say. Returns how much was deleted.
    pub(super) async fn clean(&mut self, read_for: Option<SignedDuration>) -> Result<Counters, EngineError> {
        let mut all = Counters::default();
        let mut after = FeedId(0);
        loop {
            let feeds = self.engine.store.unscoped().feeds_with_rules(after, FEEDS).await?;
            let Some(last) = feeds.last() else { break };
            after = last.id;
            for feed in feeds {
                let mut counters = Counters::default();
                let rules = self.rules(&feed, read_for);
                self.clean_entries(feed.id, &rules, &mut counters).await?;
                // Space in the database is not made by dropping raw bytes, which lie elsewhere.
                if read_for.is_none() {
                    self.clean_raw(feed.id, &rules, &mut counters).await?;
                }
                if !counters.is_zero() {
                    let FeedRules { id, url, .. } = feed;
                    let report = FeedReport { feed: id, url, counters: Counters::default() };
                    self.feeds.entry(id).or_insert(report).counters += counters;
                }
                all += counters;
            }
        }
        self.counters += all;
        self.ranges.clear(self.engine, self.lock).await?;
        Ok(all)
    }

    fn rules(&self, feed: &FeedRules, read_for: Option<SignedDuration>) -> Retention {
        let (rules, problems) = Rules::resolve(&self.engine.options.rules, &feed.rules);
        for problem in problems {
            tracing::warn!(feed.id = feed.id.0, problem, "a rule of the feed's own cannot be used");
        }
        let mut retention = rules.retention;
        if let Some(most) = read_for {
            retention.read_for = Some(retention.read_for.map_or(most, |usual| usual.min(most)));
        }
        retention
    }

    /// Window by window, oldest first, so that a feed of millions takes no more memory than one of thousands.
    async fn clean_entries(
        &mut self,
        feed: FeedId,
        rules: &Retention,
        counters: &mut Counters,
    ) -> Result<(), EngineError> {
        let store = &self.engine.store;
        let mut left = if rules.per_feed.is_some() { store.unscoped().count_entries_of(feed).await? } else { 0 };
        let mut after = EntryId(0);
        loop {
            let window = store.unscoped().kept(feed, after, WINDOW).await?;
            let Some(last) = window.last() else { return Ok(()) };
            after = last.id;
            // The limit is the whole feed's: entries outside of this window take their part of it.
            let outside = left.saturating_sub(window.len() as u64);
            let cleanup = policy::cleanup(self.as_of, &window, outside, rules);
            left = left.saturating_sub(cleanup.forget.len() as u64);
            for gone in &cleanup.forget {
                counters.count(gone.why);
                self.ranges.lose(gone.id);
            }
            counters.full_text_cleared += cleanup.clear_full_text.len() as u64;
            self.forget(feed, &window, &cleanup).await?;
        }
    }

    async fn forget(&self, feed: FeedId, window: &[Kept], cleanup: &policy::Cleanup) -> Result<(), EngineError> {
        let Some(lock) = self.lock else { return Ok(()) };
        let (store, clock) = (&self.engine.store, &self.engine.clock);
        let ranged = self.ranges.end();
        for gone in cleanup.forget.chunks(STEP) {
            let burials: Vec<Burial> = gone
                .iter()
                .filter_map(|gone| {
                    // The window is in the order of its ids.
                    let kept = &window[window.binary_search_by_key(&gone.id.0, |kept| kept.id.0).ok()?];
                    let tombstone_until = policy::tombstone_until(clock.now(), kept);
                    Some(Burial { id: gone.id, why: gone.why, tombstone_until })
                })
                .collect();
            store.forget_entries(lock, clock.now(), feed, &burials, ranged).await?;
        }
        for cleared in cleanup.clear_full_text.chunks(STEP) {
            store.clear_full_text(lock, clock.now(), feed, cleared).await?;
        }
        Ok(())
    }

    async fn clean_raw(&self, feed: FeedId, rules: &Retention, counters: &mut Counters) -> Result<(), EngineError> {
        let (store, clock) = (&self.engine.store, &self.engine.clock);
        let mut keeper = RawKeeper::new(rules.raw_samples, self.engine.options.maintenance.raw_budget_bytes);
        let mut before = None;
        loop {
            let page = store.unscoped().kept_raw(feed, before.as_ref(), STEP as u32).await?;
            let Some(last) = page.last() else { return Ok(()) };
            before = Some(*last);
            let mut gone: Vec<FetchId> = Vec::new();
            for raw in &page {
                let fate = keeper.fate(raw);
                if fate != RawFate::Stays {
                    gone.push(raw.id);
                    counters.raw_fetches += 1;
                }
                if fate == RawFate::Goes {
                    counters.raw_bytes += raw.stored_bytes;
                }
            }
            if let (Some(lock), false) = (self.lock, gone.is_empty()) {
                store.forget_raw_fetches(lock, clock.now(), &gone).await?;
            }
        }
    }

    /// A database that is too large is compacted, then keeps read entries for less and less time.
    pub(super) async fn make_fit(&mut self) -> Result<(), EngineError> {
        let store = &self.engine.store;
        let limit = self.engine.options.maintenance.max_db_bytes;
        let mut so_far = Tightening::default();
        // Nothing was deleted since the file was last rewritten: doing it again would change nothing.
        let mut stale = true;
        loop {
            self.bytes_after = store.size_bytes().await?;
            let (step, next) =
                policy::next_size_step(self.bytes_after, limit, &self.engine.options.rules.retention, so_far);
            so_far = next;
            match step {
                SizeStep::Fits => return Ok(()),
                SizeStep::Compact => {
                    // If the space does not come back, deleting more would not make the database smaller.
                    if std::mem::take(&mut stale) {
                        if store.compact().await? == Compacted::Reused {
                            self.too_large = true;
                            return Ok(());
                        }
                        self.compacted = true;
                    }
                }
                SizeStep::Tighten { read_for } => {
                    self.read_for = Some(read_for);
                    stale = !self.clean(Some(read_for)).await?.is_zero();
                }
                SizeStep::GiveUp => {
                    self.too_large = true;
                    return Ok(());
                }
            }
        }
    }

    /// Notes what was done, and what the operator should know.
    pub(super) async fn finish(&mut self, lock: &Lock, now: Timestamp) -> Result<(), EngineError> {
        let store = &self.engine.store;
        self.log_rows = store.forget_cleanups(self.as_of - KEEP_LOG).await?;
        if self.too_large {
            let limit = self.engine.options.maintenance.max_db_bytes.unwrap_or(0);
            let warning = format!("the database has {} bytes and may have {limit}", self.bytes_after);
            tracing::error!(
                bytes = self.bytes_after,
                limit,
                "the database is too large, and nothing more can be forgotten"
            );
            store.set_setting(DB_SIZE_WARNING, &warning, now).await?;
        } else {
            store.delete_setting(DB_SIZE_WARNING).await?;
        }
        self.took = self.engine.now().duration_since(self.began).max(SignedDuration::ZERO);
        self.notes = self.notes(now);
        let run = CleanupRun {
            at: now,
            counters: self.counters,
            ranges: self.ranges.gone.dropped,
            log_rows: self.log_rows,
            bytes_before: self.bytes_before,
            bytes_after: self.bytes_after,
            read_for: self.read_for,
            took: self.took,
            notes: self.notes.clone(),
        };
        store.log_cleanup(lock, self.engine.now(), &run).await?;
        store.set_setting(RETENTION_CLOCK, &self.as_of.to_string(), now).await?;
        Ok(store.set_setting(LAST_CLEANUP, &now.to_string(), now).await?)
    }

    /// What an operator should know.
    fn notes(&self, now: Timestamp) -> Option<String> {
        let leapt = (self.as_of < now)
            .then(|| format!("the clock is far ahead of the last cleanup: ages are as of {:.0}", self.as_of));
        let compacted = self.compacted.then(|| "the file was compacted".to_owned());
        let tightened = self
            .read_for
            .map(|kept| format!("to save space, what was read was kept for {} days", kept.as_hours() / 24));
        let too_large = self.too_large.then(|| "the database is still larger than it may be".to_owned());
        let notes: Vec<String> = [leapt, compacted, tightened, too_large].into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    pub(super) fn report(self) -> RetainReport {
        let mut feeds: Vec<FeedReport> = self.feeds.into_values().collect();
        feeds.sort_by_key(|report| report.feed.0);
        RetainReport {
            as_of: self.as_of,
            counters: self.counters,
            feeds,
            ranges: self.ranges.gone,
            log_rows: self.log_rows,
            bytes_before: self.bytes_before,
            bytes_after: self.bytes_after,
            read_for: self.read_for,
            too_large: self.too_large,
            took: self.took,
            notes: self.notes,
        }
    }
}
