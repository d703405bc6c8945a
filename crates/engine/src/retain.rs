//! Retention: forgets what has served its time, by the rules of each feed, and makes a database fit that is too large.
//!
//! Looks (rows), thinks (`policy`), writes in steps of a few hundred rows under the maintenance lock. Blobs that nobody
//! refers to any more, expired tombstones and old events are `maintain`'s, once an hour.
//! Invariant: ages are measured by the retention clock, which never leaps; only `force` takes the real one.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::maintain::{LASTING, LOCK, under_lock};
use jiff::{SignedDuration, Timestamp};
use model::retention::{BodyRange, Burial, CleanupRun, Counters, Kept};
use model::{EntryId, FeedId, FetchId, WorkerId};
use policy::rules::Retention;
use policy::{RangeFate, RangeWork, RawFate, RawKeeper, Rules, SizeStep, Tightening};
use std::collections::HashMap;
use store::{Compacted, FeedRules, Lock, StoreError, Turn};

/// When the last cleanup was, by the clock.
pub(crate) const LAST_CLEANUP: &str = "maintenance.last_cleanup";
/// How far ages had got then.
pub(crate) const RETENTION_CLOCK: &str = "maintenance.retention_clock";
/// Set while the database is larger than it may be.
pub(crate) const DB_SIZE_WARNING: &str = "db_size_warning";

/// Feeds asked for at a time.
const FEEDS: u32 = 200;
/// Entries of one feed decided about at a time: what bounds our memory.
const WINDOW: u32 = 50_000;
/// Rows deleted in one transaction: visits wait for no more than these.
const STEP: usize = 200;
/// Bodies deleted in one transaction after their entries went.
const SWEEP: u32 = 1_000;
/// Lines of the cleanup log are kept this long.
const KEEP_LOG: SignedDuration = SignedDuration::from_hours(90 * 24);

/// What is wished of a cleanup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wish {
    /// Say what would go, and change nothing. The size of the database is not looked after.
    pub dry_run: bool,
    /// Believe the clock, however far it has leapt since the last cleanup.
    pub force: bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retained {
    /// It was done.
    Done(Box<RetainReport>),
    /// Another process is at it.
    Busy(Option<WorkerId>),
    /// The clock was never set: nothing can be told to be old.
    ClockNotSet,
}

/// What went, or would go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetainReport {
    /// The moment by which ages were measured; behind the clock after a leap.
    pub as_of: Timestamp,
    /// Over all feeds.
    pub counters: Counters,
    /// Feeds that lost something, in the order of their ids; of a run that was repeated to save space, all together.
    pub feeds: Vec<FeedReport>,
    /// Ranges of bodies that went as a whole (PostgreSQL).
    pub ranges: Ranges,
    /// Lines of the cleanup log.
    pub log_rows: u64,
    /// The database before.
    pub bytes_before: u64,
    /// And after.
    pub bytes_after: u64,
    /// For how long entries stayed after everybody had read them, where space made that less than the rules say.
    pub read_for: Option<SignedDuration>,
    /// The database is larger than it may be, and nothing more can be done about it.
    pub too_large: bool,
}

/// Ranges of bodies that went, or would go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ranges {
    /// How many.
    pub dropped: u64,
    /// What they took on the disk.
    pub bytes: u64,
    /// Bodies in them that stay, and so lie elsewhere now.
    pub moved: u64,
}

/// What one feed lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedReport {
    /// Which.
    pub feed: FeedId,
    /// Where.
    pub url: String,
    /// How much.
    pub counters: Counters,
}

/// Forgets what has served its time. Safe to call beside a running maintenance: one of the two is told that it is busy.
pub async fn retain(engine: &Engine, now: Timestamp, wish: Wish) -> Result<Retained, EngineError> {
    if wish.dry_run {
        return retain_holding(engine, now, wish, None).await;
    }
    let store = &engine.store;
    let Some(lock) = store.take_lock(LOCK, &engine.worker, now, LASTING).await? else {
        return Ok(Retained::Busy(store.lock_holder(LOCK).await?));
    };
    let done = under_lock(engine, retain_holding(engine, now, wish, Some(&lock))).await;
    store.release_lock(LOCK, &engine.worker).await?;
    done.unwrap_or_else(|| Err(StoreError::LockLost { name: LOCK.to_owned() }.into()))
}

/// The same for whoever has the lock already; without one nothing is changed.
pub(crate) async fn retain_holding(
    engine: &Engine,
    now: Timestamp,
    wish: Wish,
    lock: Option<&Lock>,
) -> Result<Retained, EngineError> {
    let store = &engine.store;
    let last = moment(store.setting(RETENTION_CLOCK).await?);
    let Some(as_of) = policy::retention_clock(now, last.filter(|_| !wish.force)) else {
        return Ok(Retained::ClockNotSet);
    };
    if as_of < now {
        tracing::warn!(clock = %now, %as_of, "the clock is far ahead of the last cleanup: what is old is judged with care");
    }
    let mut run = Run::begin(engine, as_of, lock).await?;
    run.clean(None).await?;
    if let Some(lock) = lock {
        run.make_fit().await?;
        run.finish(lock, now).await?;
    }
    let done = run.report();
    let counters = &done.counters;
    tracing::info!(
        dry_run = wish.dry_run,
        as_of = %done.as_of,
        old = counters.old,
        read_long_ago = counters.read_long_ago,
        beyond_limit = counters.beyond_limit,
        unread_too_long = counters.unread_too_long,
        full_text_cleared = counters.full_text_cleared,
        raw_fetches = counters.raw_fetches,
        raw_bytes = counters.raw_bytes,
        ranges = done.ranges.dropped,
        range_bytes = done.ranges.bytes,
        bodies_moved = done.ranges.moved,
        log_rows = done.log_rows,
        bytes_before = done.bytes_before,
        bytes_after = done.bytes_after,
        "cleaned up"
    );
    Ok(Retained::Done(Box::new(done)))
}

/// One cleanup on its way.
struct Run<'a> {
    engine: &'a Engine,
    as_of: Timestamp,
    /// None when nothing is to be changed.
    lock: Option<&'a Lock>,
    counters: Counters,
    feeds: HashMap<FeedId, FeedReport>,
    /// The ranges of bodies that nothing is added to any more.
    full: Vec<BodyRange>,
    /// How many entries each of them loses.
    gone: Vec<u64>,
    ranges: Ranges,
    log_rows: u64,
    bytes_before: u64,
    bytes_after: u64,
    read_for: Option<SignedDuration>,
    too_large: bool,
}

impl<'a> Run<'a> {
    async fn begin(engine: &'a Engine, as_of: Timestamp, lock: Option<&'a Lock>) -> Result<Self, EngineError> {
        let (bytes, last) = (engine.store.size_bytes().await?, engine.store.last_entry().await?);
        let full = policy::full_ranges(&engine.store.body_ranges().await?, last).to_vec();
        Ok(Self {
            engine,
            as_of,
            lock,
            counters: Counters::default(),
            feeds: HashMap::new(),
            gone: vec![0; full.len()],
            full,
            ranges: Ranges::default(),
            log_rows: 0,
            bytes_before: bytes,
            bytes_after: bytes,
            read_for: None,
            too_large: false,
        })
    }

    /// One pass over all feeds, with a shorter memory of what was read if need be. Says how much went.
    async fn clean(&mut self, read_for: Option<SignedDuration>) -> Result<Counters, EngineError> {
        let mut all = Counters::default();
        let mut after = FeedId(0);
        loop {
            let feeds = self.engine.store.feeds_with_rules(after, FEEDS).await?;
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
        self.clear_ranges().await?;
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
        let mut left = if rules.per_feed.is_some() { store.count_entries_of(feed).await? } else { 0 };
        let mut after = EntryId(0);
        loop {
            let window = store.kept(feed, after, WINDOW).await?;
            let Some(last) = window.last() else { return Ok(()) };
            after = last.id;
            // The limit is the whole feed's: entries outside of this window take their part of it.
            let outside = left.saturating_sub(window.len() as u64);
            let cleanup = policy::cleanup(self.as_of, &window, outside, rules);
            left = left.saturating_sub(cleanup.forget.len() as u64);
            for gone in &cleanup.forget {
                counters.count(gone.why);
                let at = self.full.partition_point(|range| range.to <= gone.id);
                if let (Some(range), Some(count)) = (self.full.get(at), self.gone.get_mut(at)) {
                    *count += u64::from(range.from <= gone.id);
                }
            }
            counters.full_text_cleared += cleanup.clear_full_text.len() as u64;
            self.forget(feed, &window, &cleanup).await?;
        }
    }

    async fn forget(&self, feed: FeedId, window: &[Kept], cleanup: &policy::Cleanup) -> Result<(), EngineError> {
        let Some(lock) = self.lock else { return Ok(()) };
        let (store, clock) = (&self.engine.store, &self.engine.clock);
        let ranged = self.full.last().map_or(EntryId(0), |range| range.to);
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

    /// Bodies go last, with their whole range where hardly any of its entries are left: dropping a table costs nothing.
    /// A cleanup that was interrupted before it came here leaves bodies that nobody can find, until the next one.
    async fn clear_ranges(&mut self) -> Result<(), EngineError> {
        let Engine { store, options, .. } = self.engine;
        let mut ranges = Vec::with_capacity(self.full.len());
        for (range, gone) in self.full.iter().zip(&self.gone) {
            let mut counted = store.counted(*range).await?;
            if self.lock.is_none() {
                counted.entries = counted.entries.saturating_sub(*gone);
            }
            ranges.push(counted);
        }
        let last = store.last_entry().await?;
        for work in policy::range_work(&ranges, last, options.maintenance.bodies_moved) {
            match (work.fate, self.lock) {
                (RangeFate::ManyLeft, None) => {}
                (RangeFate::ManyLeft, Some(lock)) => self.sweep(lock, &work).await?,
                (RangeFate::Empty | RangeFate::FewLeft, None) => self.count_ranges(&work, work.left),
                (RangeFate::Empty | RangeFate::FewLeft, Some(lock)) => {
                    let most = options.maintenance.bodies_moved;
                    match store.gather_bodies(lock, self.engine.now(), work.from, work.to, most).await? {
                        Turn::Done(moved) => self.count_ranges(&work, moved),
                        Turn::Busy => tracing::info!(
                            from = work.from.0,
                            to = work.to.0,
                            "somebody is at the bodies: their range is dropped by the next cleanup"
                        ),
                    }
                }
            }
        }
        Ok(())
    }

    fn count_ranges(&mut self, work: &RangeWork, moved: u64) {
        self.ranges.dropped += work.ranges;
        self.ranges.bytes += work.bytes;
        self.ranges.moved += moved;
    }

    async fn sweep(&self, lock: &Lock, work: &RangeWork) -> Result<(), EngineError> {
        let mut from = work.from;
        loop {
            let gone = self.engine.store.sweep_bodies(lock, self.engine.now(), from, work.to, SWEEP).await?;
            match gone.iter().max() {
                Some(last) if gone.len() == SWEEP as usize => from = EntryId(last.0 + 1),
                _ => return Ok(()),
            }
        }
    }

    async fn clean_raw(&self, feed: FeedId, rules: &Retention, counters: &mut Counters) -> Result<(), EngineError> {
        let (store, clock) = (&self.engine.store, &self.engine.clock);
        let mut keeper = RawKeeper::new(rules.raw_samples, self.engine.options.maintenance.raw_budget_bytes);
        let mut before = None;
        loop {
            let page = store.kept_raw(feed, before.as_ref(), STEP as u32).await?;
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

    /// A database that is too large is compacted, then remembers less and less of what was read (A-108..110).
    async fn make_fit(&mut self) -> Result<(), EngineError> {
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
                    // Where the space does not come back, forgetting more would not make the database any smaller.
                    if std::mem::take(&mut stale) && store.compact().await? == Compacted::Reused {
                        self.too_large = true;
                        return Ok(());
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
    async fn finish(&mut self, lock: &Lock, now: Timestamp) -> Result<(), EngineError> {
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
        let run = CleanupRun {
            at: now,
            counters: self.counters,
            ranges: self.ranges.dropped,
            log_rows: self.log_rows,
            bytes_before: self.bytes_before,
            bytes_after: self.bytes_after,
            read_for: self.read_for,
        };
        store.log_cleanup(lock, self.engine.now(), &run).await?;
        store.set_setting(RETENTION_CLOCK, &self.as_of.to_string(), now).await?;
        Ok(store.set_setting(LAST_CLEANUP, &now.to_string(), now).await?)
    }

    fn report(self) -> RetainReport {
        let mut feeds: Vec<FeedReport> = self.feeds.into_values().collect();
        feeds.sort_by_key(|report| report.feed.0);
        RetainReport {
            as_of: self.as_of,
            counters: self.counters,
            feeds,
            ranges: self.ranges,
            log_rows: self.log_rows,
            bytes_before: self.bytes_before,
            bytes_after: self.bytes_after,
            read_for: self.read_for,
            too_large: self.too_large,
        }
    }
}

/// A moment as a setting remembers it.
pub(crate) fn moment(setting: Option<String>) -> Option<Timestamp> {
    setting.and_then(|text| text.parse().ok())
}
