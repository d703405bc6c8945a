//! The last 50 visits of each feed, in a ring that does not grow: for `explain`, health and metrics. A smaller ring has the
//! header fields of visits without a stored body; those of the others are in `raw_fetches`.

use crate::StoreError;
use crate::codes;
use crate::db::batch::Batch;
use crate::db::columns::{Part, selected_columns, text, written_columns};
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::viewer::sees_feed;
use model::raw::KeptHeaders;
use model::visit::PastVisit;
use model::{FeedId, Viewer};

/// How many visits are remembered.
pub(crate) const RING: i64 = 50;
/// How many sets of header fields are stored apart from bodies.
const HEADER_RING: i64 = 8;

written_columns! {
    /// A visit, in `visits`.
    VisitColumns(visit: PastVisit) {
        at: Int = visit.at;
        status: Int = visit.status;
        result: Text = visit.result;
        error: Text = visit.error.as_deref();
        took_us: Int = visit.took;
        wire_bytes: Int = visit.wire_bytes;
        decoded_bytes: Int = visit.decoded_bytes;
        new_entries: Int = visit.new_entries;
        changed_entries: Int = visit.changed_entries;
        next_at: Int = visit.next_at;
        interval_us: Int = visit.interval;
        reason: Text = visit.reason.as_str();
        trace: Text = (!visit.trace.is_empty()).then(|| visit.trace.join("\n"));
        headers_at: Int = visit.headers_at;
        problems: Text = visit.problems.as_deref();
        ewma_us: Int = visit.ewma;
    }
}

selected_columns! {
    /// The same, read.
    PastVisitColumns {
        at = "at";
        status = "status";
        result = "result";
        error = "error";
        took = "took_us";
        wire_bytes = "wire_bytes";
        decoded_bytes = "decoded_bytes";
        new_entries = "new_entries";
        changed_entries = "changed_entries";
        next_at = "next_at";
        interval = "interval_us";
        reason = "reason";
        trace: Option<String> = "trace";
        headers_at = "headers_at";
        problems = "problems";
        ewma = "ewma_us";
    }
    fn past_visit(row) -> PastVisit {
        let trace = trace.map_or_else(Vec::new, |text| text.lines().map(str::to_owned).collect());
        PastVisit {
            at,
            status,
            result,
            error,
            took,
            wire_bytes,
            decoded_bytes,
            new_entries,
            changed_entries,
            next_at,
            interval,
            reason,
            trace,
            headers_at,
            problems,
            ewma,
        }
    }
}

statements! {
    REMEMBER(Int, Int; VisitColumns) = Text::Rows(text!(
        "INSERT INTO visits (feed_id, slot, ", Part::List(VisitColumns::NAMES), ")
         VALUES ($1, $2, ", Part::Parameters(3, VisitColumns::NAMES), ")
         ON CONFLICT (feed_id, slot) DO UPDATE SET ", Part::Excluded(VisitColumns::NAMES)));
    /// In the order of the ring, which the clock cannot change: several visits may have one moment.
    LAST(Int, Int, Int) = Text::One(text!(
        "SELECT ", Part::List(PastVisitColumns::SQL), "
         FROM visits WHERE feed_id = $1 AND ", Part::Text(sees_feed!("$1", "$3")), "
         ORDER BY (slot + 50 - (SELECT s.visits % 50 FROM schedule s WHERE s.feed_id = $1)) % 50 DESC LIMIT $2"));
    KEEP_HEADERS(Int, Int, Int, Text, Int, Json, Json) = Text::Rows(
        "INSERT INTO visit_headers (feed_id, slot, at, url, status, request_headers, response_headers)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (feed_id, slot) DO UPDATE SET at = excluded.at, url = excluded.url, status = excluded.status,
             request_headers = excluded.request_headers, response_headers = excluded.response_headers");
    HEADERS(Int, Int) = Text::One(concat!(
        "SELECT at, url, status, request_headers, response_headers FROM visit_headers
         WHERE feed_id = $1 AND ", sees_feed!("$1", "$2"), " ORDER BY at DESC"));
}

/// Adds the step that remembers the feed's visit number `number` (from 0).
pub(crate) fn remember(batch: &mut Batch, feed: FeedId, number: i64, visit: &PastVisit) {
    let mut row = Vec::with_capacity(2 + VisitColumns::COUNT);
    row.extend([feed.0.into(), number.rem_euclid(RING).into()]);
    VisitColumns::bind(visit, &mut row);
    batch.step(&REMEMBER, vec![row]);
}

/// Adds the step that stores the header fields of the feed's visit number `number` (from 0).
pub(crate) fn keep_headers(batch: &mut Batch, feed: FeedId, number: i64, headers: KeptHeaders) {
    let KeptHeaders { at, url, status, request, response } = headers;
    let slot = number.rem_euclid(HEADER_RING).into();
    let (request, response) = (codes::headers(&request), codes::headers(&response));
    batch.step(&KEEP_HEADERS, vec![vec![feed.0.into(), slot, at.into(), url.into(), status.into(), request, response]]);
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
    pub async fn visits(&self, viewer: Viewer, feed: FeedId, limit: u32) -> Result<Vec<PastVisit>, StoreError> {
        self.read_all(&LAST, vec![feed.0.into(), limit.into(), viewer.into()], past_visit).await
    }

    /// The header fields of a feed's visits that are stored apart from any body, newest first.
    pub async fn visit_headers(&self, viewer: Viewer, feed: FeedId) -> Result<Vec<KeptHeaders>, StoreError> {
        self.read_all(&HEADERS, vec![feed.0.into(), viewer.into()], kept_headers).await
    }
}
