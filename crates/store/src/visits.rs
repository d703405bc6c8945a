//! The ring of the last 50 visits of each feed: feeds `explain`, health and metrics without growing. And a smaller one
//! of the header fields of those visits of which no body was kept; with the others they lie in `raw_fetches`.

use crate::StoreError;
use crate::codes;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use model::FeedId;
use model::raw::KeptHeaders;
use model::visit::PastVisit;

/// How many visits are remembered.
pub(crate) const RING: i64 = 50;
/// How many sets of header fields are stored apart from bodies.
const HEADER_RING: i64 = 8;

statements! {
    REMEMBER(Int, Int, Int, Int, Text, Text, Int, Int, Int, Int, Int, Int, Int, Text, Text, Int, Text) = Text::Rows(
        "INSERT INTO visits (feed_id, slot, at, status, result, error, took_us, wire_bytes, decoded_bytes, new_entries,
                             changed_entries, next_at, interval_us, reason, trace, headers_at, problems)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
         ON CONFLICT (feed_id, slot) DO UPDATE SET at = excluded.at, status = excluded.status, result = excluded.result,
             error = excluded.error, took_us = excluded.took_us, wire_bytes = excluded.wire_bytes,
             decoded_bytes = excluded.decoded_bytes, new_entries = excluded.new_entries,
             changed_entries = excluded.changed_entries, next_at = excluded.next_at,
             interval_us = excluded.interval_us, reason = excluded.reason, trace = excluded.trace,
             headers_at = excluded.headers_at, problems = excluded.problems");
    LAST(Int, Int) = Text::One(
        "SELECT at, status, result, error, took_us, wire_bytes, decoded_bytes, new_entries, changed_entries, next_at,
                interval_us, reason, trace, headers_at, problems
         FROM visits WHERE feed_id = $1 ORDER BY at DESC LIMIT $2");
    KEEP_HEADERS(Int, Int, Int, Text, Int, Json, Json) = Text::Rows(
        "INSERT INTO visit_headers (feed_id, slot, at, url, status, request_headers, response_headers)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (feed_id, slot) DO UPDATE SET at = excluded.at, url = excluded.url, status = excluded.status,
             request_headers = excluded.request_headers, response_headers = excluded.response_headers");
    HEADERS(Int) = Text::One(
        "SELECT at, url, status, request_headers, response_headers FROM visit_headers WHERE feed_id = $1
         ORDER BY at DESC");
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
            visit.headers_at.into(),
            visit.problems.as_deref().into(),
        ]],
    );
}

/// Adds the step that stores the header fields of the feed's visit number `number` (from 0).
pub(crate) fn keep_headers(batch: &mut Batch, feed: FeedId, number: i64, headers: KeptHeaders) {
    let KeptHeaders { at, url, status, request, response } = headers;
    let slot = number.rem_euclid(HEADER_RING).into();
    let (request, response) = (codes::headers(&request), codes::headers(&response));
    batch.step(&KEEP_HEADERS, vec![vec![feed.0.into(), slot, at.into(), url.into(), status.into(), request, response]]);
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
        headers_at: row.next()?,
        problems: row.next()?,
    })
}

fn kept_headers(row: &mut Record) -> Result<KeptHeaders, StoreError> {
    Ok(KeptHeaders {
        at: row.next()?,
        url: row.next()?,
        status: row.next()?,
        request: codes::from_json(row.next()?)?,
        response: codes::from_json(row.next()?)?,
    })
}

impl Store {
    /// The last visits of a feed, newest first.
    pub async fn visits(&self, feed: FeedId, limit: u32) -> Result<Vec<PastVisit>, StoreError> {
        self.read_all(&LAST, vec![feed.0.into(), limit.into()], past_visit).await
    }

    /// The header fields of a feed's visits that are stored apart from any body, newest first.
    pub async fn visit_headers(&self, feed: FeedId) -> Result<Vec<KeptHeaders>, StoreError> {
        self.read_all(&HEADERS, vec![feed.0.into()], kept_headers).await
    }
}
