//! The partitions of bodies (PostgreSQL) in a cleanup: which of them are full, how many bodies each loses, and which are
//! dropped. What becomes of each is decided by `policy`.

use super::Ranges;
use crate::engine::Engine;
use crate::error::EngineError;
use model::EntryId;
use model::retention::BodyRange;
use policy::{RangeFate, RangeWork};
use store::{Lock, LockAttempt, Store, StoreError};

/// Bodies deleted in one transaction after their entries went.
const SWEEP: u32 = 1_000;

/// The partitions to which nothing is added any more, in the order of their entries.
pub(super) struct FullRanges {
    ranges: Vec<BodyRange>,
    /// How many entries each of them loses.
    losses: Vec<u64>,
    /// What was dropped, or would be.
    pub(super) gone: Ranges,
}

impl FullRanges {
    pub(super) async fn of(store: &Store) -> Result<Self, StoreError> {
        let last = store.last_entry().await?;
        let ranges = policy::full_ranges(&store.body_ranges().await?, last).to_vec();
        Ok(Self { losses: vec![0; ranges.len()], ranges, gone: Ranges::default() })
    }

    /// Bodies of entries below this are deleted here.
    pub(super) fn end(&self) -> EntryId {
        self.ranges.last().map_or(EntryId(0), |range| range.to)
    }

    /// Notes that an entry is deleted.
    pub(super) fn lose(&mut self, entry: EntryId) {
        let at = self.ranges.partition_point(|range| range.to <= entry);
        if let (Some(range), Some(losses)) = (self.ranges.get(at), self.losses.get_mut(at)) {
            *losses += u64::from(range.from <= entry);
        }
    }

    /// Deletes bodies last; drops the whole partition if hardly any of its entries are left, because dropping a table costs
    /// nothing. A cleanup that is interrupted before this leaves unreachable bodies until the next one.
    /// Without the lock nothing is deleted, only counted.
    pub(super) async fn clear(&mut self, engine: &Engine, lock: Option<&Lock>) -> Result<(), EngineError> {
        let (store, most) = (&engine.store, engine.options.maintenance.bodies_moved);
        let mut ranges = Vec::with_capacity(self.ranges.len());
        for (range, losses) in self.ranges.iter().zip(&self.losses) {
            let mut counted = store.counted(*range).await?;
            if lock.is_none() {
                counted.entries = counted.entries.saturating_sub(*losses);
            }
            ranges.push(counted);
        }
        let last = store.last_entry().await?;
        for work in policy::range_work(&ranges, last, most) {
            match (work.fate, lock) {
                (RangeFate::ManyLeft, None) => {}
                (RangeFate::ManyLeft, Some(lock)) => sweep(engine, lock, &work).await?,
                (RangeFate::Empty | RangeFate::FewLeft, None) => self.count(&work, work.left),
                (RangeFate::Empty | RangeFate::FewLeft, Some(lock)) => {
                    match store.gather_bodies(lock, engine.now(), work.from, work.to, most).await? {
                        LockAttempt::Done(moved) => self.count(&work, moved),
                        LockAttempt::Busy => tracing::info!(
                            from = work.from.0,
                            to = work.to.0,
                            "entry_bodies is locked; partition removal postponed to the next cleanup"
                        ),
                    }
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, work: &RangeWork, moved: u64) {
        self.gone.dropped += work.ranges;
        self.gone.bytes += work.bytes;
        self.gone.moved += moved;
    }
}

async fn sweep(engine: &Engine, lock: &Lock, work: &RangeWork) -> Result<(), EngineError> {
    let mut from = work.from;
    loop {
        let gone = engine.store.sweep_bodies(lock, engine.now(), from, work.to, SWEEP).await?;
        match gone.iter().max() {
            Some(last) if gone.len() == SWEEP as usize => from = EntryId(last.0 + 1),
            _ => return Ok(()),
        }
    }
}
