//! The ring of the last 50 visits of each feed: feeds `explain`, health and metrics without growing.

use crate::StoreError;
use crate::batch::Batch;
use crate::sql::{Text, statements};
use crate::store::Store;
use crate::value::Record;
use model::FeedId;
use model::visit::PastVisit;

/// How many visits are remembered.
pub(crate) const RING: i64 = 50;

statements! {
    REMEMBER(Int, Int, Int, Int, Text, Text, Int, Int, Int, Int, Int, Int, Int, Text, Text) = Text::Rows(
        "INSERT INTO visits (feed_id, slot, at, status, result, error, took_us, wire_bytes, decoded_bytes, new_entries,
                             changed_entries, next_at, interval_us, reason, trace)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
         ON CONFLICT (feed_id, slot) DO UPDATE SET at = excluded.at, status = excluded.status, result = excluded.result,
             error = excluded.error, took_us = excluded.took_us, wire_bytes = excluded.wire_bytes,
             decoded_bytes = excluded.decoded_bytes, new_entries = excluded.new_entries,
             changed_entries = excluded.changed_entries, next_at = excluded.next_at,
             interval_us = excluded.interval_us, reason = excluded.reason, trace = excluded.trace");
    LAST(Int, Int) = Text::One(
        "SELECT at, status, result, error, took_us, wire_bytes, decoded_bytes, new_entries, changed_entries, next_at,
                interval_us, reason, trace
         FROM visits WHERE feed_id = $1 ORDER BY at DESC LIMIT $2");
}

/// Adds the step that remembers the feed's visit number `number` (from 0).
pub(crate) fn remember(batch: &mut Batch, feed: FeedId, number: i64, visit: &PastVisit) {
    batch.step(
        &REMEMBER,
        vec![vec![
            feed.0.into(),
            number.rem_euclid(RING).into(),
            visit.at.into(),
            visit.status.into(),
            visit.result.into(),
            visit.error.as_deref().into(),
            visit.took.into(),
            visit.wire_bytes.into(),
            visit.decoded_bytes.into(),
            visit.new_entries.into(),
            visit.changed_entries.into(),
            visit.next_at.into(),
            visit.interval.into(),
            visit.reason.as_str().into(),
            (!visit.trace.is_empty()).then(|| visit.trace.join("\n")).into(),
        ]],
    );
}

fn past_visit(row: &mut Record) -> Result<PastVisit, StoreError> {
    Ok(PastVisit {
        at: row.next()?,
        status: row.next()?,
        result: row.next()?,
        error: row.next()?,
        took: row.next()?,
        wire_bytes: row.next()?,
        decoded_bytes: row.next()?,
        new_entries: row.next()?,
        changed_entries: row.next()?,
        next_at: row.next()?,
        interval: row.next()?,
        reason: row.next()?,
        trace: row.next::<Option<String>>()?.map_or_else(Vec::new, |text| text.lines().map(str::to_owned).collect()),
    })
}

impl Store {
    /// The last visits of a feed, newest first.
    pub async fn visits(&self, feed: FeedId, limit: u32) -> Result<Vec<PastVisit>, StoreError> {
        self.read_all(&LAST, vec![feed.0.into(), limit.into()], past_visit).await
    }
}
